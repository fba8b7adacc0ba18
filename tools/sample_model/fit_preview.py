#!/usr/bin/env python3
"""Fits the linear map from latents to RGB that previews use, by least squares over runs of a model.

    reelmesh-cli generate --prompt ... --save-latents l1.safetensors --save-frames f1.safetensors -o c1.mp4
    python fit_preview.py l1.safetensors f1.safetensors l2.safetensors f2.safetensors ...

Prints one row a latent channel, then the bias, and the root mean square of what the map leaves. Needs numpy."""
import json
import struct
import sys

import numpy as np


def read(path, key):
    data = open(path, "rb").read()
    (length,) = struct.unpack("<Q", data[:8])
    entry = json.loads(data[8:8 + length])[key]
    begin, end = entry["data_offsets"]
    return np.frombuffer(data[8 + length + begin:8 + length + end], np.float32).reshape(entry["shape"])


def pairs(latents_file, frames_file):
    latents, frames = read(latents_file, "latents")[0], read(frames_file, "frames")
    channels, length, height, width = latents.shape
    ratio = frames.shape[1] // height
    for t in range(length):
        shown = frames[0] if t == 0 else frames[4 * t - 3:4 * t + 1].mean(0)
        blocks = shown.reshape(height, ratio, width, ratio, 3).mean((1, 3))
        yield latents[:, t].reshape(channels, -1).T, blocks.reshape(-1, 3) * 2 - 1


def main(files):
    found = [pair for at in range(0, len(files), 2) for pair in pairs(files[at], files[at + 1])]
    inputs = np.concatenate([x for x, _ in found])
    inputs = np.c_[inputs, np.ones(len(inputs))]
    targets = np.concatenate([y for _, y in found])
    rows = np.linalg.lstsq(inputs, targets, rcond=None)[0]
    for row in rows:
        print("{%.4fF, %.4fF, %.4fF}," % tuple(row))
    print("left: %.3f of %.3f" % (np.sqrt(((inputs @ rows - targets) ** 2).mean()), targets.std()))


main(sys.argv[1:])
