#!/usr/bin/env python3
"""Compares `tfrec events --json` with TensorBoard's own reader, value by value.

  check_events.py --tfrec=build/release/bin/tfrec FILE...

TensorBoard brings old scalars, histograms and images into the new form as it reads; numbers, buckets, texts
and images must be equal to ours.  Needs tensorboard.
"""
import argparse
import base64
import json
import os
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np  # noqa: E402
from tensorboard.backend.event_processing import event_file_loader  # noqa: E402
from tensorboard.util import tensor_util  # noqa: E402


def theirs(path):
    plugins = {}
    for event in event_file_loader.EventFileLoader(path).Load():
        for v in event.summary.value if event.HasField("summary") else []:
            name = v.metadata.plugin_data.plugin_name or plugins.get(v.tag, "")
            plugins[v.tag] = name
            yield event, v, name


def ours(tfrec, path):
    run = subprocess.run([tfrec, "events", "--json", path], capture_output=True, check=True)
    for line in run.stdout.decode().splitlines():
        row = json.loads(line)
        if "tag" in row and row["kind"] != "run_metadata":
            yield row


def number(v):
    return float(v) if not isinstance(v, str) else float(v.replace("Infinity", "inf"))


def same(event, v, plugin, row):
    if (row["step"], row["wall_time"]) != (event.step, event.wall_time):
        return False
    tag = v.tag
    if row["tag"] != tag and not tag.startswith(row["tag"]):
        return False
    kind = row["kind"]
    if kind == "hparams":
        return base64.b64decode(row["content"]) == v.metadata.plugin_data.content
    array = tensor_util.make_ndarray(v.tensor) if v.HasField("tensor") else None
    if kind == "scalar":
        return plugin == "scalars" and np.array_equal(
            array, np.asarray(number(row["value"]), array.dtype), equal_nan=True)
    if kind == "histogram":
        return plugin == "histograms" and np.array_equal(
            np.array([[number(x) for x in b] for b in row["buckets"]],
                     array.dtype).reshape(-1, 3), array)  # it makes float32 of old ones
    if kind == "image":
        return plugin == "images" and (int(array[0]), int(array[1]), len(array[2])) == (
            row["width"], row["height"], row["bytes"])
    if kind == "text":
        return np.array_equal(np.array([x.decode() for x in array.ravel()]),
                              np.atleast_1d(row["value"]))
    if kind == "tensor":
        return list(array.shape) == row["shape"]
    return kind in ("audio", "no_data")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tfrec", required=True)
    p.add_argument("files", nargs="+")
    args = p.parse_args()
    n = bad = 0
    for path in args.files:
        a, b = list(theirs(path)), list(ours(args.tfrec, path))
        if len(a) != len(b):
            print(f"{path}: TensorBoard gives {len(a)} values, tfrec {len(b)}")
            bad += 1
        for (event, v, plugin), row in zip(a, b):
            n += 1
            if not same(event, v, plugin, row):
                bad += 1
                print(f"{path}: {v.tag} {plugin}: {str(row)[:300]}\n{str(v)[:300]}")
    print(json.dumps({"values": n, "different": bad}))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
