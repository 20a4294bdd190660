#!/usr/bin/env python3
"""Other recordings of the same layout, to see that no oracle test knows its data.

    other_recordings.py DATA OUT       then: make check T=oracle/ T2_DATA=OUT

Made from those of DATA/oracles without computing anything: every row of a batch twice (losses are
means, so gradients, steps and normalisations stay), and Keras's optimizers with fewer parameters, in
another order, than the index of Tensor2Tensor's has.
"""
import json
import os
import re
import shutil
import struct
import sys

SOURCE, OUT = (os.path.join(folder, "oracles") for folder in sys.argv[1:3])
TWICE = {"t2t_cnn": ["byte_net", "basic_fc"], "flowers": ["plain", "plain_small_kernels"],
         "t2t_transformer": ["v1", "v2", "v3", "relative"], "official_transformer": ["training"]}


def load(path):
    with open(path, "rb") as f:
        raw = f.read()
    start = 8 + struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:start])
    header.pop("__metadata__", None)
    return {name: (t["dtype"], t["shape"], raw[start + t["data_offsets"][0]:start + t["data_offsets"][1]])
            for name, t in header.items()}


def save(path, tensors):
    header, at = {}, 0
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(head)) + head + b"".join(t[2] for t in tensors.values()))


def twice(folder, name):
    tensors = load("%s/%s/%s.safetensors" % (SOURCE, folder, name))
    for key, (dtype, shape, data) in tensors.items():
        if key.startswith(("in/", "out/")) and (len(shape) > 1 or key == "in/labels"):
            tensors[key] = (dtype, [2 * shape[0]] + shape[1:], data + data)
    save("%s/%s/%s.safetensors" % (OUT, folder, name), tensors)
    with open("%s/%s/%s.json" % (SOURCE, folder, name)) as f:
        about = json.load(f)
    for key in ("loss_numerator", "loss_denominator"):
        if key in about:
            about[key] = [2 * x for x in about[key]] if isinstance(about[key], list) else 2 * about[key]
    with open("%s/%s/%s.json" % (OUT, folder, name), "w") as f:
        json.dump(about, f)


def other_parameters():
    os.makedirs(OUT + "/optimizers", exist_ok=True)
    for name in os.listdir(SOURCE + "/optimizers"):
        shutil.copyfile("%s/optimizers/%s" % (SOURCE, name), "%s/optimizers/%s" % (OUT, name))
    other = {}
    for key, tensor in load(SOURCE + "/optimizers/keras.safetensors").items():
        m = re.search(r"(?:parameter|gradient)(\d)", key)
        number = {"0": "1", "1": "0", "2": None, "3": "2"}[m.group(1)] if m else ""
        if number is not None:
            other[key[:m.start(1)] + number + key[m.end(1):] if m else key] = tensor
    save(OUT + "/optimizers/keras.safetensors", other)


for folder, names in TWICE.items():
    for name in names:
        twice(folder, name)
other_parameters()
