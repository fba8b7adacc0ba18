#!/usr/bin/env python3
"""Checks that files and folders which the documents name in `code` exist, and that sources hold no machine paths."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP = ("app/", "cmake/", "docs/", "engine/", "kernels/", "packaging/", "resources/", "tests/", "tools/")
FOREIGN = re.compile(r"(^|[^A-Za-z0-9_.])/(root|home)/[a-z]")


def main() -> int:
    failures = []
    documents = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "HACKING.md")] + \
        sorted((ROOT / "docs").glob("*.md"))
    for document in documents:
        for name in re.findall(r"`([\w./-]+)`", document.read_text(encoding="utf-8")):
            if name.startswith(TOP) and not (ROOT / name).exists() and not list(ROOT.glob(name + ".*")):
                failures.append(f"{document.name}: {name} does not exist")
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in tracked:
        file = ROOT / name
        if file.suffix in {".h", ".cpp", ".py", ".sh", ".cmake", ".md", ".txt"} and file.exists():
            for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
                if FOREIGN.search(line) and name != "tools/check_documents.py":
                    failures.append(f"{name}:{number}: a machine's own path")
    print("\n".join(failures), end="\n" if failures else "")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
