#!/usr/bin/env python3.7
"""Recordings of Tensor2Tensor's further attentions over images: recordings/t2t_images of T2_DATA, some of
them in fixtures/recordings/t2t_images.

    record_images.py ORACLES_MAKE --out DIR [--only=NAME,NAME]

For tests/oracle/test_recorded_image_transformer.c.  ORACLES_MAKE is the folder oracles/make of
T2_DATA: its t2t_transformer.py runs the original (environment in its first lines), this file adds
imagetransformer2d, img2img_transformer and the attentions of imagetransformer that are not in
oracles/t2t_image_transformer.  Gradients and logits in float32, three steps of the optimizer for
those that say so; of the hparams those that differ from the set's.  The same graph then computes in
double: how far float32 is from that stands in the JSON ("float32_noise"), and of a mixture, whose
float32 subtracts nearly equal numbers, its gradients are recorded, too ("exact/").
"""
import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, sys.argv.pop(1))
import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402
import t2t_transformer as tt  # noqa: E402 - its folder is an argument
import oracle_common as oc  # noqa: E402
from tensor2tensor.data_generators import problem as problem_lib  # noqa: E402
from tensor2tensor.layers import modalities  # noqa: E402
from tensor2tensor.models import image_transformer, image_transformer_2d  # noqa: E402,F401
from tensor2tensor.utils import registry, trainer_lib  # noqa: E402

tf.summary.image = lambda *args, **kw: None  # eager mode cannot run this summary

SMALL = "hidden_size=8,filter_size=12,num_heads=2,learning_rate_warmup_steps=4,"
TWO = SMALL + "num_decoder_layers=2,"
ONE = SMALL + "num_decoder_layers=1,unconditional=true,"
IMG = SMALL + "num_encoder_layers=1,num_decoder_layers=1,"
SHAPES = {"query_shape": [3, 5], "memory_flange": [2, 4]}  # divide neither 4 rows nor 12 columns
FIT = {"query_shape": [2, 6], "memory_flange": [3, 6]}
VARIANTS = {
    "relative": ("imagetransformer", "imagetransformer_base_rel", TWO + "block_length=16,unconditional=true", {"steps": True}),
    "relative_one_block": ("imagetransformer", "imagetransformer_base_rel", ONE + "block_length=60", {}),
    "relative_dmol": ("imagetransformer", "imagetransformerpp_base_12l_8h_big_uncond_dr03_dan_m_rel",
                      ONE + "block_length=6,max_length=40,attention_key_channels=12,attention_value_channels=20", {}),
    "dilated": ("imagetransformer", "imagetransformer_base_8l_8h_big_cond_dr03_dan_dilated",
                TWO + "block_length=20,block_width=7,gap_sizes=[0,9]", {"classes": 10, "steps": True}),
    "dilated_blocks": ("imagetransformer", "imagetransformer_base_8l_8h_big_cond_dr03_dan_dilated_c",
                       TWO + "block_length=16,block_width=5,gap_sizes=[3,11],unconditional=true", {}),
    "noncausal": ("imagetransformer", "imagetransformer_base",
                  ONE + "dec_attention_type=local_1d_noncausal,block_length=16,block_width=21", {}),
    "global": ("imagetransformer", "imagetransformer_base", ONE + "dec_attention_type=global", {}),
    "two_dimensional": ("imagetransformer2d", "imagetransformer2d_tiny", TWO, dict(SHAPES, classes=10, steps=True)),
    "two_dimensional_fit": ("imagetransformer2d", "imagetransformer2d_base_14l_8_16_big_uncond", TWO, dict(FIT, classes=10)),
    "two_dimensional_left": ("imagetransformer2d", "imagetransformer2d_base_8l_8_32_big", ONE,
                             {"query_shape": [2, 6], "memory_flange": [0, 12], "classes": 10}),
    "two_dimensional_above": ("imagetransformer2d", "imagetransformer2d_base_8l_8_16_ls", ONE,
                              {"query_shape": [2, 6], "memory_flange": [2, 0], "classes": 10}),
    "two_dimensional_dan": ("imagetransformer2d", "imagetransformer2d_base_8l_8_16",
                            ONE + "layer_preprocess_sequence=none,layer_postprocess_sequence=dan,pos=emb,max_length=40", dict(SHAPES, classes=10)),
    "local_block": ("imagetransformer2d", "imagetransformer2d_base_8l_8_16", ONE + "dec_attention_type=local_block,block_length=16", dict(SHAPES, classes=10)),
    "local_block_dan": ("imagetransformer2d", "imagetransformer2d_base_8l_8_16",
                        ONE + "layer_preprocess_sequence=none,layer_postprocess_sequence=dan,dec_attention_type=local_block,block_length=16", dict(SHAPES, classes=10)),
    "one_dimensional_2d": ("imagetransformer2d", "imagetransformer2d_base_8l_8_16", ONE + "dec_attention_type=local_1d,block_length=16", {"classes": 10}),
    "img2img": ("img2img_transformer", "img2img_transformer2d_tiny", IMG, dict(SHAPES, image=2, steps=True)),
    "img2img_dan": ("img2img_transformer", "img2img_transformer2d_q1", IMG, dict(FIT, image=2)),
    "img2img_local_encoder": ("img2img_transformer", "img2img_transformer2d_n24",
                              IMG + "enc_attention_type=local_1d,block_length=8,block_width=5", dict(FIT, image=2)),
    "img2img_1d": ("img2img_transformer", "img2img_transformer_b3", IMG + "block_length=16", {"image": 2}),
    "img2img_tiny": ("img2img_transformer", "img2img_transformer_tiny", IMG, dict(FIT, image=2)),
    "img2img_block": ("img2img_transformer_block_parallel", "img2img_transformer_b3_bs2", IMG + "block_length=16", {"image": 2}),
    "final_norm": ("imagetransformer", "imagetransformerpp_sep_channels_8l_8h",
                   ONE + "block_length=6,max_length=40,attention_key_channels=12,attention_value_channels=20", {}),
    "two_dimensional_64": ("imagetransformer2d", "imagetransformer_base_10l_8h_big_uncond_dr03_dan_64_2d", TWO, dict(FIT, classes=10)),
}


class Images(problem_lib.Problem):
    """Images as targets, as the reversed image problems have them, or a smaller image as inputs."""

    def __init__(self, more):
        super(Images, self).__init__(False, False)
        self._more = more

    def hparams(self, defaults, unused_model_hparams):
        kind = modalities.ModalityType
        defaults.modality = {"targets": kind.IDENTITY if "image" in self._more else kind.IMAGE}
        defaults.vocab_size = {"targets": 256}
        if "classes" in self._more:
            defaults.modality["inputs"], defaults.vocab_size["inputs"] = kind.CLASS_LABEL, self._more["classes"]
        if "image" in self._more:
            defaults.modality["inputs"], defaults.vocab_size["inputs"] = kind.IDENTITY, 256


def features_of(more, a):
    r = np.random.RandomState(a.seed)
    feed = {"targets": r.randint(0, 256, (a.batch, a.side, a.side, 3)).astype(np.int32)}
    if "classes" in more:
        feed["inputs"] = r.randint(0, more["classes"], (a.batch, 1, 1, 1)).astype(np.int32)
    if "image" in more:
        feed["inputs"] = r.randint(0, 256, (a.batch, more["image"], more["image"], 3)).astype(np.int32)
    return feed


def in_double(graph_def):
    """The same graph with float64 wherever it has float32; constants keep their float32 values."""
    single, double = tf.float32.as_datatype_enum, tf.float64.as_datatype_enum

    def change(attrs):
        for attr in attrs.values():
            if attr.type == single:
                attr.type = double
            for i, t in enumerate(attr.list.type):
                attr.list.type[i] = double if t == single else t
            if attr.HasField("tensor") and attr.tensor.dtype == single:
                attr.tensor.CopyFrom(tf.make_tensor_proto(tf.make_ndarray(attr.tensor).astype(np.float64)))

    for node in graph_def.node:
        change(node.attr)
    for function in graph_def.library.function:
        for arg in list(function.signature.input_arg) + list(function.signature.output_arg):
            arg.type = double if arg.type == single else arg.type
        for node in function.node_def:
            change(node.attr)
    return graph_def


def exact(name, a):
    """Logits, loss and gradients by variable, in double."""
    with tf.Graph().as_default() as graph:
        model, feed, _, _ = prepared(name, a)
        logits, losses = model({k: tf.constant(v) for k, v in feed.items()})
        total = tf.add_n([v for _, v in sorted(losses.items())])
        tvars = tf.trainable_variables()
        grads = {v.op.name: g for v, g in zip(tvars, tf.gradients(total, tvars)) if g is not None}
        want = {"logits": logits.name, "loss": total.name,
                "grads": {k: tf.convert_to_tensor(g).name for k, g in grads.items()}}
        begin = [(v.initializer.name, v.initializer.inputs[1].name, oc.value_for(v.name, v.shape.as_list(), a.seed)) for v in tvars]
        graph_def = in_double(graph.as_graph_def())
    with tf.Graph().as_default():
        tf.import_graph_def(graph_def, name="")
        with tf.Session(config=tt.CONFIG) as sess:
            sess.run([op for op, _, _ in begin], {into: value for _, into, value in begin})
            return sess.run(want)


def compare_with_exact(name, a, out, info):
    double = exact(name, a)
    assert double["logits"].dtype == np.float64 and double["loss"].dtype == np.float64
    gradients = {k: oc.difference(g, out["grad/" + k])["max_abs"] for k, g in double["grads"].items()}
    info["float32_noise"] = {"logits": oc.difference(double["logits"][:1], out["out/logits"])["max_abs"],
                             "loss": abs(float(double["loss"]) - info["total_loss_with_weight_decay"]), "gradients": max(gradients.values())}
    if out["out/logits"].shape[-1] != 256:
        out.update({"exact/" + k: g.astype(np.float32) for k, g in double["grads"].items()})


def prepared(name, a):
    """The model of a variant, its features, its problem's hparams and the hparams that differ from the set's."""
    model_name, set_name, overrides, more = VARIANTS[name]
    tf.set_random_seed(1)
    hparams = trainer_lib.create_hparams(set_name)
    original = dict(hparams.values())
    for key in hparams.values():
        if key.endswith("dropout"):
            setattr(hparams, key, 0.0)
    hparams = hparams.parse(overrides.rstrip(","))
    hparams.img_len = a.side
    for key in ("query_shape", "memory_flange"):
        if key in more:
            setattr(hparams, key, tuple(more[key]))
    changed = {k: v for k, v in hparams.values().items() if k in original and original[k] != v and not callable(v)}
    hparams.add_hparam("data_dir", "")
    hparams.add_hparam("train_steps", 1000)
    feed = features_of(more, a)
    p = Images(more).get_hparams(hparams)
    hparams.problem_hparams = p
    return registry.model(model_name)(hparams, tt.TRAIN, p), feed, p, changed


def one(name, a):
    model_name, set_name, _, more = VARIANTS[name]
    tf.reset_default_graph()
    model, feed, p, changed = prepared(name, a)
    tap = {}
    real_body, real_loss = model.body, model.loss

    def body(f):
        tap.setdefault("targets_bottom", []).append(f["targets"])
        return real_body(f)

    def loss_of(logits, f):
        n, d = real_loss(logits, f)
        tap.setdefault("num", []).append(n)
        tap.setdefault("den", []).append(d)
        return n, d

    model.body, model.loss = body, loss_of
    steps = {"steps": 3} if more.get("steps") else {"steps": 0}
    out, info = tt.run_eager(model, tt.TRAIN, {k: tf.constant(v) for k, v in feed.items()}, None, feed, tap, steps, a)
    out.pop("out/targets_bottom", None)
    out["out/logits"] = out["out/logits"][:1]  # of the first image
    if "trainable" not in info or not info["trainable"]:
        raise ValueError("no variables")
    info.update({"variant": name, "model": model_name, "hparams_set": set_name, "hparams": changed, "vocab_size": p.vocab_size,
                 "made_with": oc.versions("tensor2tensor", "tensorflow")})
    compare_with_exact(name, a, out, info)
    oc.save_tensors(os.path.join(a.out, name + ".safetensors"), out)
    oc.save_json(os.path.join(a.out, name + ".json"), info)
    print("%-24s loss %.7f |g| %.5f logits %s  %d bytes, float32 is off by %s" % (
        name, info["losses"]["training"], info["gradient_global_norm"], out["out/logits"].shape,
        os.path.getsize(os.path.join(a.out, name + ".safetensors")), info["float32_noise"]))
    if info["no_gradient"]:
        print("    no gradient: %s" % info["no_gradient"])
    sys.stdout.flush()


def main():
    a = oc.arguments(__doc__, batch=2, side=4, only="")
    failed = {}
    for name in VARIANTS:
        if a.only and name not in a.only.split(","):
            continue
        try:
            one(name, a)
        except Exception as e:  # noqa: BLE001 - what the original cannot run is a finding of its own
            failed[name] = repr(e)[:300]
            print("FAILED", name, failed[name])
    if failed:
        sys.exit("the original does not run: %s" % json.dumps(failed, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
