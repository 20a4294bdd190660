#!/usr/bin/env python3
"""What the recorders of Model Garden share: values, shapes, files, the loop over cases.

For record_bert.py and record_garden.py.  Imported before TensorFlow, which it tells to be quiet and exact.
"""
import argparse
import json
import os
import re

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
import numpy as np


def our_shape(name, value):
    """Heads side by side."""
    value = np.asarray(value, np.float32)
    if re.search(r"/(query|key|value)/kernel$", name):
        return value.reshape(value.shape[0], -1)
    if name.endswith("/attention_output/kernel"):
        return value.reshape(-1, value.shape[-1])
    return value.reshape(-1) if re.search(r"/(query|key|value)/bias$", name) else value


def initial(name, shape, random, scale):
    """scale(name, shape): of what has two axes or more."""
    z = random.standard_normal(shape).astype(np.float32)
    if name.endswith("/gamma"):
        return 1 + 0.2 * z
    if name.endswith("/moving_variance"):
        return (0.5 + np.abs(z)).astype(np.float32)
    return (z * (scale(name, shape) if len(shape) > 1 else 0.1)).astype(np.float32)


def apart(a, b):
    """The largest difference, in units of the larger of 1 and the array's largest value."""
    return max(np.abs(a[k] - b[k]).max() / max(1.0, np.abs(b[k]).max()) for k in b)


def save(out, name, tensors, about):
    from safetensors.numpy import save_file
    save_file(tensors, os.path.join(out, name + ".safetensors"))
    with open(os.path.join(out, name + ".json"), "w") as f:
        json.dump(about, f, indent=1)


def main(about, names, record):
    """record(name, out) of each name, or of those of --only; what it returns is kept in double-check.json."""
    p = argparse.ArgumentParser(description=about.split("\n", maxsplit=1)[0])
    p.add_argument("--out", required=True)
    p.add_argument("--only", default="")
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    path = os.path.join(a.out, "double-check.json")
    noise = {}
    if os.path.exists(path):
        with open(path) as f:
            noise = json.load(f)
    for name in names:
        if not a.only or name in a.only.split(","):
            noise[name] = record(name, a.out)
            with open(path, "w") as f:
                json.dump(noise, f, indent=1)
