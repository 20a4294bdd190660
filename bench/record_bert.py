#!/usr/bin/env python3
"""Recordings of Model Garden's BERT: logits, loss, gradients and steps of the original.

    record_bert.py --out DIR [--only=NAME,NAME]

For tests/oracle/test_recorded_bert.c, which reads DIR/NAME.json and .safetensors as oracles/garden of
T2_DATA.  Environment: that of record_garden.py, with what official/nlp imports.  Models, losses, optimizer
and steps are those of SentencePredictionTask and MaskedLMTask with the experiments' AdamWeightDecay, whose
clipping is off: the original's norm counts an id that a batch has twice as two rows of the table.  Sizes are
small, the values are drawn here.  double-check.json says how far float32 was from double precision.
"""
import argparse
import json
import os
import re

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
import numpy as np
import tensorflow as tf
import tf_keras
from official.core import exp_factory
from official.nlp.configs import finetuning_experiments, pretraining_experiments
from official.nlp.tasks import masked_lm, sentence_prediction
from official.modeling import optimization
from safetensors.numpy import save_file

B, L, P, V, D, STEPS, RATE = 6, 11, 4, 29, 8, 3, 1e-3
ENCODER = {"vocab_size": V, "hidden_size": D, "num_layers": 2, "num_attention_heads": 2, "intermediate_size": 12,
           "max_position_embeddings": 16, "dropout_rate": 0.0, "attention_dropout_rate": 0.0}
OURS = ("vocab_size=%d,hidden_size=%d,num_hidden_layers=2,num_heads=2,filter_size=12,max_position_embeddings=16,"
        "layer_prepostprocess_dropout=0,attention_dropout=0,dropout=0,clip_grad_norm=0,"
        "learning_rate_main=constant,learning_rate_initial=%g" % (V, D, RATE))
CASES = {"bert_classifier": dict(pooler=False), "bert_classifier_pooler": dict(pooler=True),
         "bert_pretrainer": dict(sentence=True), "bert_pretrainer_no_sentence": dict(sentence=False)}


def our_name(name):
    """Keras's name from the layer on that the original gave a name to."""
    name = name.split(":")[0]
    return re.search(r"(word_embeddings|position_embedding|type_embeddings|embeddings/layer_norm|transformer/layer_\d+|"
                     r"pooler_transform|sentence_prediction|next_sentence|cls/predictions)/.*$", name).group(0)


def our_shape(name, value):
    """Heads side by side."""
    value = np.asarray(value, np.float32)
    if re.search(r"/(query|key|value)/kernel$", name):
        return value.reshape(value.shape[0], -1)
    if name.endswith("/attention_output/kernel"):
        return value.reshape(-1, value.shape[-1])
    return value.reshape(-1) if re.search(r"/(query|key|value)/bias$", name) else value


def initial(name, shape, random):
    z = random.standard_normal(shape).astype(np.float32)
    if name.endswith("/gamma"):
        return 1 + 0.2 * z
    return 0.1 * z if len(shape) < 2 or "/bias" in name else (z * (0.5 if "embedding" in name else shape[0] ** -0.5)).astype(np.float32)


def draw_batch(case, random):
    lengths = random.integers(6, L + 1, B)
    lengths[0] = L
    ids, types = np.zeros((B, L), np.int32), np.zeros((B, L), np.int32)
    for b, n in enumerate(lengths):
        ids[b, :n] = random.integers(3, V, n)
        ids[b, 0], ids[b, n - 1] = 1, 2
        types[b, n // 2:n] = 1
    batch = {"input_word_ids": ids, "input_type_ids": types, "input_mask": (ids != 0).astype(np.int32)}
    if "pooler" in case:
        batch["label_ids"] = random.integers(0, 3, B).astype(np.int32)
        return batch
    positions, masked, weights = np.zeros((B, P), np.int32), np.zeros((B, P), np.int32), np.zeros((B, P), np.float32)
    for b, n in enumerate(lengths):
        k = random.integers(1, P + 1)
        positions[b, :k] = 1 + random.permutation(n - 2)[:k]
        masked[b, :k], weights[b, :k] = random.integers(3, V, k), 1
    batch.update(masked_lm_positions=positions, masked_lm_ids=masked, masked_lm_weights=weights)
    if case["sentence"]:
        batch["next_sentence_labels"] = random.integers(0, 2, (B, 1)).astype(np.int32)
    return batch


class Run:
    """The original in one precision."""

    def __init__(self, case, floats):
        tf_keras.backend.clear_session()
        tf_keras.backend.set_floatx(floats)
        classifies = "pooler" in case
        params = exp_factory.get_exp_config("bert/sentence_prediction" if classifies else "bert/pretraining")
        params.task.model.encoder.bert.override(ENCODER)
        if classifies:
            params.task.model.override({"num_classes": 3, "use_encoder_pooler": case["pooler"]})
        else:
            params.task.model.cls_heads[0].override({"inner_dim": 5, "dropout_rate": 0.0})
            if not case["sentence"]:
                params.task.model.cls_heads = []
        self.classifies = classifies
        self.task = (sentence_prediction.SentencePredictionTask if classifies else masked_lm.MaskedLMTask)(params.task)
        self.model = self.task.build_model()
        for layer in self.model.submodules:  # dropout of the classifier's head is in no configuration
            if isinstance(layer, tf_keras.layers.Dropout):
                layer.rate = 0.0
        self.config = params.trainer.optimizer_config
        self.config.override({"optimizer": {"adamw": {"gradient_clip_norm": 0.0}},
                              "learning_rate": {"type": "constant", "constant": {"learning_rate": RATE}}})
        self.config.warmup.type = None

    def build(self, batch):
        self.logits_of(batch, False)
        self.names = {v.ref(): our_name(v.name) for v in self.model.variables}
        assert len(set(self.names.values())) == len(self.names)

    def set(self, values):
        for v in self.model.variables:
            v.assign(values[self.names[v.ref()]])

    def inputs(self, batch):
        wanted = ["input_word_ids", "input_type_ids", "input_mask"] + ([] if self.classifies else ["masked_lm_positions"])
        return {k: batch[k] for k in wanted}

    def logits_of(self, batch, training):
        out = self.model(self.inputs(batch), training=training)
        return out if self.classifies else out["mlm_logits"]

    def gradients(self, batch):
        with tf.GradientTape() as tape:
            out = self.model(self.inputs(batch), training=True)
            if self.classifies:
                loss = self.task.build_losses(labels=batch, model_outputs=out)
            else:
                metrics = self.task.build_metrics()
                loss = self.task.build_losses(labels=batch, model_outputs=out, metrics=metrics)
        variables = self.model.trainable_variables
        found = tape.gradient(loss, variables)
        return float(loss), {self.names[v.ref()]: np.asarray(tf.convert_to_tensor(g))
                             for v, g in zip(variables, found) if g is not None}

    def values(self):
        return {self.names[v.ref()]: v.numpy() for v in self.model.variables}

    def steps(self, batch):
        factory = optimization.OptimizerFactory(self.config)
        optimizer = factory.build_optimizer(factory.build_learning_rate())
        losses, variables = [], self.model.trainable_variables
        self.decays = {self.names[v.ref()]: optimizer._do_use_weight_decay(v.name) for v in variables}
        for _ in range(STEPS):
            with tf.GradientTape() as tape:
                out = self.model(self.inputs(batch), training=True)
                extra = {} if self.classifies else {"metrics": self.task.build_metrics()}
                loss = self.task.build_losses(labels=batch, model_outputs=out, **extra)
            optimizer.apply_gradients(list(zip(tape.gradient(loss, variables), variables)))
            losses.append(float(loss))
        return losses


def double_steps(r, batch, decays):
    """The task's own optimizer is for float32."""
    x, m, v = r.values(), {}, {}
    for k in range(1, STEPS + 1):
        r.set(x)
        for n, g in r.gradients(batch)[1].items():
            m[n] = 0.9 * m.get(n, 0.0) + 0.1 * g
            v[n] = 0.999 * v.get(n, 0.0) + 0.001 * g * g
            x[n] = x[n] - RATE * 0.01 * x[n] * decays[n]
            x[n] = x[n] - RATE * np.sqrt(1 - 0.999 ** k) / (1 - 0.9 ** k) * m[n] / (np.sqrt(v[n]) + 1e-7)
    return x


def apart(a, b):
    return max(np.abs(a[k] - b[k]).max() / max(1.0, np.abs(b[k]).max()) for k in b)


def draw(case, seed):
    """Both precisions from the same values: the batch, the values, and what each run gave."""
    random = np.random.default_rng(seed)
    batch = draw_batch(case, random)
    begin, runs = None, {}
    for floats in ("float32", "float64"):
        r = Run(case, floats)
        r.build(batch)
        if begin is None:
            begin = {r.names[v.ref()]: initial(r.names[v.ref()], v.shape.as_list(), random) for v in r.model.variables}
        r.set(begin)
        results = {"eval_logits_initial": r.logits_of(batch, False).numpy(), "logits": r.logits_of(batch, True).numpy()}
        _, gradients = r.gradients(batch)
        if floats == "float32":
            losses = r.steps(batch)
            results["eval_logits_after"] = r.logits_of(batch, False).numpy()
            runs[floats] = r, results, gradients, losses, r.values()
        else:
            runs[floats] = r, results, gradients, None, double_steps(r, batch, runs["float32"][0].decays)
    return batch, begin, runs


def record(name, out):
    """Values are drawn until no gradient is so near to 0 that Adam divides rounding by itself."""
    case = CASES[name]
    for seed in range(20):
        batch, begin, runs = draw(case, 1000 + 50 * sum(map(ord, name)) + seed)
        if apart(runs["float32"][4], runs["float64"][4]) < 2e-5:
            break
    else:
        raise SystemExit("%s: no values whose steps rounding leaves alone" % name)
    r, results, gradients, losses, after = runs["float32"]
    tensors = {"in/" + k: np.asarray(x) for k, x in batch.items()}
    for prefix, values in (("var/", begin), ("grad/", gradients), ("after/", after)):
        tensors.update((prefix + n, np.ascontiguousarray(our_shape(n, x))) for n, x in values.items())
    tensors.update(("out/" + k, x.astype(np.float32)) for k, x in results.items())
    ours = OURS + (",num_label_classes=3,use_encoder_pooler=%s" % str(case["pooler"]).lower() if r.classifies else
                   ",sentence_head_size=5,use_sentence_label=%s" % str(case["sentence"]).lower())
    trained = [n for n in sorted(begin) if n in gradients]
    about = {"model": "mg_bert_classifier" if r.classifies else "mg_bert_pretrainer", "hparams_set": "mg_bert_base",
             "hparams": ours, "losses": losses, "made_with": "tensorflow " + tf.__version__, "decays": r.decays,
             "trainable": [[n, list(our_shape(n, begin[n]).shape)] for n in trained],
             "not_trainable": [[n, list(our_shape(n, begin[n]).shape)] for n in sorted(begin) if n not in gradients]}
    save_file(tensors, os.path.join(out, name + ".safetensors"))
    with open(os.path.join(out, name + ".json"), "w") as f:
        json.dump(about, f, indent=1)
    _, exact, exact_gradients, _, exact_after = runs["float64"]
    noise = {"logits": float(np.abs(results["logits"] - exact["logits"]).max()),
             "gradients": float(apart(gradients, exact_gradients)), "steps": float(apart(after, exact_after))}
    print(name, losses, noise, flush=True)
    return noise


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("--out", required=True)
    p.add_argument("--only", default="")
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    path = os.path.join(a.out, "double-check.json")
    noise = {}
    if os.path.exists(path):
        with open(path) as f:
            noise = json.load(f)
    for name in CASES:
        if not a.only or name in a.only.split(","):
            noise[name] = record(name, a.out)
            with open(path, "w") as f:
                json.dump(noise, f, indent=1)


if __name__ == "__main__":
    main()
