#!/usr/bin/env python3
"""Recordings of Model Garden's image classifiers: logits, loss, gradients and steps of the original.

    record_garden.py --out DIR [--only=NAME,NAME]

For tests/oracle/test_recorded_garden.c, which reads DIR/NAME.json and .safetensors as oracles/garden of
T2_DATA, and test_recorded_models.c, which reads experiments.json there: the names that the original registers.
Environment: Python 3.11, tensorflow-cpu and tf-keras 2.20, tf-models-official 2.20.0 (--no-deps) with what
its imports ask for, safetensors.  The model, its losses and its steps are those of
ImageClassificationTask; sizes are small, the values are drawn here.  double-check.json says how far float32
was from double precision; where that is much, gradients in double precision are kept, too ("exact/").
"""
import json
import os
import pathlib
import re

import recordings
from recordings import apart, initial, our_shape
import numpy as np
import tensorflow as tf
import tf_keras
from official.vision.configs import image_classification as config
from official.vision.modeling.backbones import vit
from official.vision.tasks import image_classification

RATE, CLASSES, BATCH, STEPS = 1e-3, 5, 8, 3
# What float32 may differ from double precision: what the test allows between two programs.
NEAR = 2e-5
MOBILENET = {"mobilenet_v1": ("MobileNetV1", 0.125), "mobilenet_v2": ("MobileNetV2", 0.25),
             "mobilenet_v3_large": ("MobileNetV3Large", 0.25),
             "mobilenet_v3_small": ("MobileNetV3Small", 0.35)}
RESNET = {"resnet_v0": dict(model_id=10, depth_multiplier=0.125),
          "resnet_rs": dict(model_id=50, depth_multiplier=0.125, stem_type="v1", resnetd_shortcut=True,
                            replace_stem_max_pool=True, se_ratio=0.25)}
VIT = {"vit": dict(representation_size=0), "vit_representation": dict(representation_size=6, original_init=False),
       "vit_gap": dict(pooler="gap")}
SIZES = {"hidden_size": 8, "patch_size": 8, "transformer": {"mlp_dim": 12, "num_heads": 2, "num_layers": 2}}


def experiment(name):
    """The model's configuration, the side of images, the hparams here."""
    if name in MOBILENET:
        model_id, scale = MOBILENET[name]
        backbone = {"type": "mobilenet", "mobilenet": {"model_id": model_id, "filter_size_scale": scale}}
        norm = {"norm_momentum": 0.9, "norm_epsilon": 1e-3}
        ours = ["mg_mobilenet", "mg_mobilenet_imagenet", "model_id=%s,filter_size_scale=%g" % (model_id, scale)]
        return backbone, norm, 64, ours
    if name in RESNET:
        r = RESNET[name]
        backbone = {"type": "resnet", "resnet": r}
        swish = "se_ratio" in r
        norm = {"norm_momentum": 0.9, "norm_epsilon": 1e-5, "activation": "swish" if swish else "relu"}
        sizes = [int(n * r["depth_multiplier"]) for n in (64, 64, 128, 256, 512)]
        ours = ["mg_resnet", "mg_resnet_rs_imagenet" if swish else "mg_resnet_imagenet",
                "resnet_depth=%d,filter_sizes=%s" % (r["model_id"], json.dumps(sizes))]
        return backbone, norm, 64, ours
    v = dict(VIT[name], model_name="small", **{k: SIZES[k] for k in ("hidden_size", "patch_size")})
    v["transformer"] = SIZES["transformer"]
    ours = ["mg_vit", "mg_vit_ti16", "hidden_size=8,patch_size=8,filter_size=12,num_heads=2,num_hidden_layers=2,"
            "representation_size=%d,pooler=%s" % (v.get("representation_size", 0), v.get("pooler", "token"))]
    return {"type": "vit", "vit": v}, {}, 24, ours


def our_names(model):
    """Layers counted by kind over the whole model: blocks in their order, a block's layers in that of their
    making, squeeze and excitation behind them.  A transformer's blocks have names of their own."""
    names, counts = {}, {}
    for layer in model.backbone.layers + model.layers:
        rows = []
        for v in layer.weights:
            parts = v.name.split(":")[0].split("/")
            own = [i for i, p in enumerate(parts) if p.startswith("transformer_encoder_block")]
            number = re.search(r"_(\d+)$", parts[-2])
            rows.append(("squeeze_excitation" in v.name, int(number.group(1)) if number else 0, parts, own, v))
        for _, _, parts, own, v in sorted(rows, key=lambda r: r[:2]):
            if v.ref() in names:
                continue
            if own:
                names[v.ref()] = "/".join(parts[own[0]:])
                continue
            kind = re.sub(r"_\d+$", "", parts[-2])
            of_kind = counts.setdefault(kind, {})
            number = of_kind.setdefault("/".join(parts[:-1]), len(of_kind))
            names[v.ref()] = "%s/%s" % (kind + ("_%d" % number if number else ""), parts[-1])
    return names


def begin_of(name, v, shape, random):
    """Inputs of a ReLU6 lie about the middle of its two edges: some beyond each, few near one.  What comes out has
    squares of 13 or so."""
    value = initial(v, shape, random, scale)
    if name in ("mobilenet_v1", "mobilenet_v2"):
        value = {"gamma": 2 * value, "beta": 3 + value, "moving_variance": 13 * value}.get(v.split("/")[-1], value)
    return value.astype(np.float32)


def scale(name, shape):
    if name.endswith(("/cls", "/pos_embedding")):
        return 0.5
    return np.prod(shape[:2] if name.endswith("/depthwise_kernel") else shape[:-1]) ** -0.5


class Run:
    """The original in one precision, with given values."""

    def __init__(self, name, floats):
        tf_keras.backend.clear_session()
        tf_keras.backend.set_floatx(floats)
        backbone, norm, self.side, self.ours = experiment(name)
        vit.VIT_SPECS = {"small": SIZES}
        self.task = image_classification.ImageClassificationTask(config.ImageClassificationTask(
            model={"num_classes": CLASSES, "input_size": [self.side, self.side, 3], "backbone": backbone,
                   "norm_activation": norm},
            losses={"l2_weight_decay": 0.01, "label_smoothing": 0.1}))
        self.model = self.task.build_model()
        self.names = our_names(self.model)
        assert len(set(self.names.values())) == len(self.names) == len(self.model.variables)

    def set(self, values):
        for v in self.model.variables:
            v.assign(values[self.names[v.ref()]])

    def by_name(self, variables, values):
        return {self.names[v.ref()]: np.asarray(tf.convert_to_tensor(x)) for v, x in zip(variables, values)}

    def compute(self, values, images, labels):
        """Logits of both modes, and the loss's gradients."""
        self.set(values)
        out = {"eval_logits_initial": self.model(images, training=False).numpy()}
        logits, gradients = self.gradients(images, labels)
        out["logits"] = logits.numpy()
        return out, self.by_name(self.model.trainable_variables, gradients)

    def gradients(self, images, labels):
        with tf.GradientTape() as tape:
            logits = self.model(images, training=True)
            loss = self.task.build_losses(model_outputs=logits, labels=tf.one_hot(labels, CLASSES, dtype=logits.dtype),
                                          aux_losses=self.model.losses)
        return logits, tape.gradient(loss, self.model.trainable_variables)

    def double_steps(self, values, images, labels):
        """The task's own step is for float32; moving variances are other ones in double precision, where
        normalisation is not fused."""
        self.set(values)
        slots = [0.0] * len(self.model.trainable_variables)
        for _ in range(STEPS):
            _, gradients = self.gradients(images, labels)
            for i, (v, g) in enumerate(zip(self.model.trainable_variables, gradients)):
                slots[i] = 0.9 * slots[i] - RATE * tf.convert_to_tensor(g)
                v.assign_add(slots[i])
        return self.by_name(self.model.trainable_variables, self.model.trainable_variables)

    def steps(self, values, images, labels):
        self.set(values)
        optimizer = tf_keras.optimizers.legacy.SGD(learning_rate=RATE, momentum=0.9)
        losses = [float(self.task.train_step((images, labels), self.model, optimizer)["loss"]) for _ in range(STEPS)]
        return losses, self.by_name(self.model.variables, self.model.variables)


def experiments(out):
    """As its sources say it: some of them import what its package has not."""
    names = set()
    for source in pathlib.Path(image_classification.__file__).parents[2].rglob("*.py"):
        if "testing" not in source.parts and not source.name.endswith("_test.py"):
            names.update(re.findall(r"register_config_factory\(\s*['\"]([^'\"]+)['\"]\s*\)", source.read_text(encoding="utf-8")))
    with open(os.path.join(out, "experiments.json"), "w") as f:
        json.dump(sorted(names), f, indent=1)
    return {}


def record(name, out):
    """Values are drawn until rounding decides nothing, as the side of a ReLU's edge: gradients and steps in double
    precision show that."""
    if name == "experiments":
        return experiments(out)
    double, r = Run(name, "float64"), None
    for seed in range(20):
        random = np.random.default_rng(1000 * sum(map(ord, name)) + seed)
        images = random.standard_normal((BATCH, double.side, double.side, 3)).astype(np.float32)
        labels = random.integers(0, CLASSES, BATCH).astype(np.int32)
        begin = {double.names[v.ref()]: begin_of(name, double.names[v.ref()], v.shape.as_list(), random)
                 for v in double.model.variables}
        exact, exact_gradients = double.compute(begin, images.astype(np.float64), labels)
        r = Run(name, "float32")
        results, gradients = r.compute(begin, images, labels)
        near = apart(gradients, exact_gradients) < NEAR
        losses, after = r.steps(begin, images, labels) if near else (None, None)
        tf_keras.backend.set_floatx("float64")
        moved = apart(after, double.double_steps(begin, images.astype(np.float64), labels)) if near else 1.0
        if moved < NEAR:
            break
    else:
        raise SystemExit("%s: no values that float32 is exact enough for" % name)
    tensors = {"in/images": images, "in/labels": labels[:, None]}

    def keep(prefix, values):
        for n, x in values.items():
            tensors[prefix + n] = np.ascontiguousarray(our_shape(n, x))

    tf_keras.backend.set_floatx("float32")
    keep("var/", begin)
    keep("grad/", gradients)
    keep("after/", after)
    if apart(gradients, exact_gradients) > NEAR / 2:
        keep("exact/", exact_gradients)
    results["eval_logits_after"] = r.model(images, training=False).numpy()
    tensors.update(("out/" + k, x) for k, x in results.items())
    model_name, set_name, hparams = r.ours
    about = {"model": model_name, "hparams_set": set_name,
             "hparams": hparams + ",dropout=0,label_smoothing=0.1,weight_decay=0.01,learning_rate_schedule=constant,"
             "clip_grad_norm=0,optimizer=keras_sgd,optimizer_momentum_momentum=0.9,learning_rate_constant=%g" % RATE
             + ("" if model_name == "mg_vit" else ",norm_momentum=0.9"),
             "losses": losses, "made_with": "tensorflow " + tf.__version__,
             "trainable": [[r.names[v.ref()], list(our_shape(r.names[v.ref()], v).shape)]
                           for v in r.model.trainable_variables],
             "not_trainable": [[r.names[v.ref()], list(v.shape)] for v in r.model.non_trainable_variables]}
    recordings.save(out, name, tensors, about)
    noise = {"logits": float(np.abs(results["logits"] - exact["logits"]).max()),
             "gradients": float(apart(gradients, exact_gradients)), "steps": float(moved)}
    print(name, "seed", seed, losses, noise, flush=True)
    return noise


if __name__ == "__main__":
    recordings.main(__doc__, ["experiments"] + list(VIT) + list(RESNET) + list(reversed(MOBILENET)), record)
