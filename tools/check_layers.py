#!/usr/bin/env python3
"""Checks who includes whom: modules only look to their left, app/ only at <engine/...>, and
libraries stay behind their fences. Prints each offence as file:line and exits with 1."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ORDER = ["engine", "base", "request", "telemetry", "device", "ops", "comm", "mesh", "parallel", "weights", "nn",
         "text", "models", "vae", "sampling", "media", "pipeline", "jobs"]
SIBLINGS = {"text", "models", "vae", "sampling", "media"}  # ignore each other; pipeline joins them
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')

# Library -> (what its headers look like, where they may be used).
FENCES = {
    "Qt": (re.compile(r"^Q[A-Z]\w*$|^Qt\w+/"), ("app/", "tests/app/")),
    "LibTorch": (re.compile(r"^(ATen|c10|torch)/"),
                 tuple(f"engine/{m}/" for m in ORDER if m not in {"engine", "base", "request", "telemetry", "media"})
                 + ("tests/",)),
    "libav": (re.compile(r"^lib(av|sw)\w+/"), ("engine/media/", "tests/")),
    "OpenCV": (re.compile(r"^opencv2/"), ("engine/media/", "tests/")),
    "CUDA": (re.compile(r"^(cuda|nccl|nvml)"), ("kernels/", "engine/device/", "engine/ops/", "engine/comm/nccl/")),
    "sentencepiece": (re.compile(r"^sentencepiece"), ("engine/text/", "tests/")),
}


def offence(path: str, quoted: bool, name: str) -> str:
    for library, (pattern, allowed) in FENCES.items():
        if pattern.search(name) and not path.startswith(allowed):
            return f"{library} is fenced off here"
    if name == "torch/torch.h":
        return "include ATen headers, torch/torch.h is slow to compile"
    if path.startswith("app/"):
        if path.startswith("app/cli/") and re.match(r"Q[A-Z]", name):
            return "the command line is free of Qt"
        first = name.split("/")[0]
        if quoted and first in ORDER and first != "engine" and not (ROOT / "app" / name).exists():
            return "app/ sees the engine through <engine/...> only"
    match = re.match(r"engine/(\w+)/", path)
    if match and quoted:
        module, used = match[1], name.split("/")[0]
        if module == "include":
            return "" if used == "engine" else "public headers include standard headers and each other only"
        if used in ORDER and module in ORDER and used != module:
            if ORDER.index(used) > ORDER.index(module):
                return f"{module} may not look right, at {used}"
            if {used, module} <= SIBLINGS:
                return f"{module} and {used} ignore each other"
    return ""


def main() -> int:
    failures = 0
    for folder in ("app", "engine", "kernels", "tests"):
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix not in {".h", ".cpp", ".cu"}:
                continue
            path = file.relative_to(ROOT).as_posix()
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                found = INCLUDE.match(line)
                reason = offence(path, found[1] == '"', found[2]) if found else ""
                if reason:
                    print(f"{path}:{number}: {found[2]}: {reason}")
                    failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
