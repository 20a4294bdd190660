#!/usr/bin/env python3
"""Recordings of Tensor2Tensor's SliceNet: fixtures/recordings/t2t_slice.

    record_slice_net.py ORACLES_MAKE --out DIR [--only=NAME,NAME]

For tests/oracle/test_recorded_slice_net.c.  ORACLES_MAKE is the folder oracles/make of T2_DATA: its t2t_cnn.py runs
the original (environment in its first lines), this file adds variants with images or ids as inputs, ids or a label
as targets, and keeps of the hparams those that differ from the set's.  In a later TensorFlow what the original
imports from contrib must be there under its name, and common_layers.layers() must give tf.layers; byte_net and
xception_small of t2t_cnn.py then come out as recorded with 1.15 but for 3e-6.
"""
import json
import os
import sys

sys.path.insert(0, sys.argv.pop(1))
import t2t_cnn as recorder  # noqa: E402 - its folder is an argument
from tensor2tensor.models import slicenet  # noqa: E402,F401

VOCAB = 11
SMALL = ("learning_rate_warmup_steps=2,num_heads=2,num_hidden_layers=1,weight_decay=0.001,symbol_modality_num_shards=1,"
         "norm_epsilon=1e-5,hidden_size=")
# name: set, overrides, (height, width) of the images or None, kind of the targets, ids of the inputs
VARIANTS = {
    "captions": ("slicenet_1", SMALL + "36", (4, 5), "text", 256),
    "captions_noam_five": ("slicenet_1noam", SMALL + "36,separability=-1,kernel_scheme=3.7.15.31.63,"
                           "dilation_scheme=1.1.1.1.1,label_smoothing=0.0", (5, 4), "text", 256),
    "text": ("slicenet_1tiny", SMALL + "32,dilation_scheme=1.2.4.8,kernel_scheme=3.3.3.3", None, "text", VOCAB),
    "text_separability_2": ("slicenet_1tiny", SMALL + "32,separability=2,dilation_scheme=1.1.1.2,kernel_scheme=3.3.3.3,"
                            "multiply_embedding_mode=none", None, "text", VOCAB),
    "text_large_kernel": ("slicenet_1tiny", SMALL + "32,separability=1,kernel_scheme=none,large_kernel_size=5,"
                          "shared_embedding_and_softmax_weights=false", None, "text", 9),
    "classes": ("slicenet_1tiny", SMALL + "32", (4, 3), "class", 256),
    "text_classes": ("slicenet_1tiny", SMALL + "32", None, "class", VOCAB),
}
WITH_STEPS = ("captions", "text_classes")  # three updates, and what evaluation gives then


class Problem(recorder.problem_lib.Problem):
    def __init__(self, inputs, image, kind):
        super().__init__(False, False)
        self.what = inputs, image, kind

    def hparams(self, defaults, unused_model_hparams):
        inputs, image, kind = self.what
        types = recorder.modalities.ModalityType
        defaults.modality = {"inputs": types.IMAGE if image else types.SYMBOL,
                             "targets": types.CLASS_LABEL if kind == "class" else types.SYMBOL}
        defaults.vocab_size = {"inputs": inputs, "targets": VOCAB}
        defaults.target_space_id = 3


def feed_of(name, a):
    """As t2t_cnn.one draws them: of images normal numbers, of texts ids with padding behind."""
    _, _, image, kind, inputs = VARIANTS[name]
    r = recorder.np.random.RandomState(a.seed + len(name))
    out = {}
    if image:
        out["inputs"] = r.standard_normal((a.batch,) + image + (3,)).astype("float32")
    else:
        out["inputs"] = recorder.oc.padded_ids(r, a.batch, 7, inputs)[:, :, None, None]
    if kind == "class":
        out["targets"] = r.randint(0, VOCAB, (a.batch, 1, 1, 1)).astype("int32")
    else:
        out["targets"] = recorder.oc.padded_ids(r, a.batch, 8, VOCAB)[:, :, None, None]
    return out


def one(name, a):
    set_name, overrides, image, kind, inputs = VARIANTS[name]
    tf, tt = recorder.tf, recorder.tt
    tf.reset_default_graph()
    tf.set_random_seed(1)
    hparams = recorder.trainer_lib.create_hparams(set_name)
    for key in hparams.values():
        if key.endswith("dropout"):
            setattr(hparams, key, 0.0)
    hparams = hparams.parse(overrides)
    hparams.add_hparam("data_dir", "")
    hparams.add_hparam("train_steps", 1000)
    feed = feed_of(name, a)
    p = Problem(inputs, image, kind).get_hparams(hparams)
    hparams.problem_hparams = p
    features = {k: tf.constant(v) for k, v in feed.items()}
    features["target_space_id"] = tf.constant(3, tf.int32)
    model = recorder.registry.model("slice_net")(hparams, tt.TRAIN, p)
    tap, real_loss = {}, model.loss

    def loss_of(logits, f):
        n, d = real_loss(logits, f)
        tap.setdefault("num", []).append(n)
        tap.setdefault("den", []).append(d)
        return n, d

    model.loss = loss_of
    out, info = tt.run_eager(model, tt.TRAIN, features, None, feed, tap, {"steps": 3}, a)
    hp = {k: v for k, v in model.hparams.values().items()
          if not callable(v) and k not in ("problem_hparams", "problem", "data_dir", "mode", "shared_embedding_and_softmax_weights")}
    hp["shared_embedding_and_softmax_weights"] = hparams.shared_embedding_and_softmax_weights
    model.set_mode(tt.EVAL)
    logits, losses = model(features)
    out["out/eval_logits_after_steps"] = logits.numpy()
    original = recorder.trainer_lib.create_hparams(set_name).values()
    info.update({"eval_losses_after_steps": {k: float(v) for k, v in losses.items()},
                 "variant": name, "model": "slice_net", "hparams_set": set_name, "loss_multiplier": 1.0,
                 "hparams": {k: v for k, v in hp.items() if k not in original or original[k] != v},
                 "vocab_size": p.vocab_size, "targets": kind, "target_space_id": 3, "executed": "eager",
                 "made_with": recorder.oc.versions("tensor2tensor", "tensorflow")})
    if name not in WITH_STEPS:
        info["steps"] = []
        out = {k: v for k, v in out.items() if not k.startswith("step") and "after_steps" not in k}
    recorder.oc.save_tensors(os.path.join(a.out, name + ".safetensors"), out)
    with open(os.path.join(a.out, name + ".json"), "w") as f:
        json.dump(info, f, sort_keys=True, cls=recorder.oc.Full)
        f.write("\n")
    print("%-22s loss %.7f |g| %.5f" % (name, info["losses"]["training"], info["gradient_global_norm"]))


def main():
    a = recorder.oc.arguments(__doc__, batch=3, only="")
    for name in VARIANTS:
        if not a.only or name in a.only.split(","):
            one(name, a)


if __name__ == "__main__":
    main()
