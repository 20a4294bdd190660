#!/usr/bin/env python3.7
"""Recordings of Tensor2Tensor's RevNet: fixtures/recordings/t2t_cnn.

    record_cnn.py ORACLES_MAKE --out DIR [--only=NAME,NAME]

For tests/oracle/test_recorded_cnn.c.  ORACLES_MAKE is the folder oracles/make of T2_DATA: its t2t_cnn.py runs the
original (environment in its first lines); this file adds variants and keeps of the hparams those that differ from
the set's.  rev_block's own backward pass gives no gradients to normalisation's variables in eager mode, and in a
graph it fails in the original's trainer; the gradients are those of its forward pass.
"""
import json
import os
import sys

sys.path.insert(0, sys.argv.pop(1))
import t2t_cnn as recorder  # noqa: E402 - its folder is an argument
from tensor2tensor.models import revnet  # noqa: E402,F401
from tensor2tensor.utils import contrib  # noqa: E402

SMALL = "learning_rate_warmup_steps=2,learning_rate=0.05,num_channels_init_block=8,"
VARIANTS = {
    "revnet": ("revnet", "revnet_104", SMALL + "num_channels=[2,3,4],num_layers_per_block=[1,1,1]", 48, 3, 7, 1.0),
    "revnet_cifar_bottleneck": ("revnet", "revnet_164_cifar", SMALL + "num_channels=[2,3,4],num_layers_per_block=[1,2,1]", 16, 3, 10, 3.0),
}


def without_reconstruction():
    layers = contrib.layers()
    whole = layers.rev_block
    layers.rev_block = lambda *args, **more: whole(*args, **dict(more, is_training=False))


def shorten(path):
    with open(path) as f:
        about = json.load(f)
    original = recorder.trainer_lib.create_hparams(about["hparams_set"]).values()
    about["hparams"] = {k: v for k, v in about["hparams"].items() if k not in original or original[k] != v}
    with open(path, "w") as f:
        json.dump(about, f, indent=1, sort_keys=True)
        f.write("\n")


def main():
    a = recorder.oc.arguments(__doc__, batch=4, only="")
    recorder.VARIANTS = VARIANTS
    without_reconstruction()
    for name in VARIANTS:
        if not a.only or name in a.only.split(","):
            recorder.one(name, a)
            shorten(os.path.join(a.out, name + ".json"))


if __name__ == "__main__":
    main()
