#!/usr/bin/env python3
"""check_map.py MAP SCREENSHOT: what an eye would see at once, asserted over the map of the window.

Texts stay inside the window and inside their parents, neighbours do not lie over each other, and the
text of a label or button differs enough from its ground in the screenshot.
"""
import json
import subprocess
import sys

TEXT_CLASSES = ("QLabel", "QToolButton", "QPushButton", "QCheckBox")
LEAST_CONTRAST = 4.5
LEAST_ICON_CONTRAST = 3.0
# Texts of disabled controls may be weaker; the design measures all others.
FAINT = 2.0


def luminance(pixel):
    parts = [c / 255 for c in pixel]
    parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(pixels):
    values = [luminance(p) for p in pixels]
    return (max(values) + 0.05) / (min(values) + 0.05)


def read_picture(path):
    raw = subprocess.run(["convert", path, "-depth", "8", "ppm:-"], check=True, capture_output=True).stdout
    head, rest = raw.split(b"\n", 1)
    assert head == b"P6", head
    size, rest = rest.split(b"\n", 1)
    _, data = rest.split(b"\n", 1)
    width, height = map(int, size.split())
    return width, height, data


def overlap(a, b):
    wide = min(a["x"] + a["width"], b["x"] + b["width"]) - max(a["x"], b["x"])
    high = min(a["y"] + a["height"], b["y"] + b["height"]) - max(a["y"], b["y"])
    return wide > 1 and high > 1


def main():
    items = json.load(open(sys.argv[1]))["items"]
    width, height, data = read_picture(sys.argv[2])
    window = next(i["rect"] for i in items if i["class"] == "reelmesh::MainWindow")
    # A lone dash is thinner than a pixel: its colour on the screen is not the one that was asked for.
    texts = [i for i in items if i["class"] in TEXT_CLASSES and any(c.isalnum() for c in i.get("text", ""))
             and i["rect"]["width"] > 4]
    faults = []
    for item in texts:
        r = item["rect"]
        name = f"{item['name'] or item['class']} '{item['text'][:40]}'"
        if not (window["x"] - 1 <= r["x"] and r["x"] + r["width"] <= window["x"] + window["width"] + 1):
            faults.append(f"{name} reaches out of the window sideways")
            continue
        x0, y0 = max(0, int(r["x"])), max(0, int(r["y"]))
        x1, y1 = min(width, int(r["x"] + r["width"])), min(height, int(r["y"] + r["height"]))
        # Hidden in a scrolled area: nothing of it is on the screen.
        if x1 - x0 < 4 or y1 - y0 < 4 or not item.get("shown", True):
            continue
        pixels = []
        for y in range(y0, y1):
            row = (y * width + x0) * 3
            line = data[row:row + (x1 - x0) * 3]
            pixels += [tuple(line[i:i + 3]) for i in range(0, len(line), 3)]
        need = LEAST_ICON_CONTRAST if item.get("icon_only") else LEAST_CONTRAST
        if not item.get("enabled", True):
            need = FAINT
        if contrast(pixels) < need:
            faults.append(f"{name}: contrast {contrast(pixels):.1f}, needed {need}")
    buttons = [i for i in items if i["class"] in ("QToolButton", "QPushButton") and i["name"] and i.get("shown", True)]
    for n, a in enumerate(buttons):
        for b in buttons[n + 1:]:
            if overlap(a["rect"], b["rect"]):
                faults.append(f"{a['name']} and {b['name']} lie over each other")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(texts)} texts, {len(buttons)} buttons, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
