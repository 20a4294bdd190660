#!/usr/bin/env python3
"""Recordings of Model Garden's BERT: logits, loss, gradients and steps of the original.

    record_bert.py --out DIR [--only=NAME,NAME]

For tests/oracle/test_recorded_bert.c, which reads DIR/NAME.json and .safetensors as oracles/garden of
T2_DATA.  Environment: that of record_garden.py, with what official/nlp imports.  Models, losses, optimizer
and steps are those of SentencePredictionTask and MaskedLMTask with the experiments' AdamWeightDecay, whose
clipping is off: the original's norm counts an id that a batch has twice as two rows of the table.  Sizes are
small, the values are drawn here.  double-check.json says how far float32 was from double precision.
"""
import re

import recordings
from recordings import apart, initial, our_shape
import numpy as np
import tensorflow as tf
import tf_keras
from official.core import exp_factory
from official.nlp.configs import finetuning_experiments, pretraining_experiments
from official.nlp.tasks import masked_lm, question_answering, sentence_prediction
from official.modeling import optimization

B, L, P, V, D, STEPS, RATE = 6, 11, 4, 29, 8, 3, 1e-3
ENCODER = {"vocab_size": V, "hidden_size": D, "num_layers": 2, "num_attention_heads": 2, "intermediate_size": 12,
           "max_position_embeddings": 16, "dropout_rate": 0.0, "attention_dropout_rate": 0.0}
OURS = ("vocab_size=%d,hidden_size=%d,num_hidden_layers=2,num_heads=2,filter_size=12,max_position_embeddings=16,"
        "layer_prepostprocess_dropout=0,attention_dropout=0,dropout=0,clip_grad_norm=0,"
        "learning_rate_main=constant,learning_rate_initial=%g" % (V, D, RATE))
CASES = {"bert_classifier": dict(pooler=False), "bert_classifier_pooler": dict(pooler=True),
         "bert_pretrainer": dict(sentence=True), "bert_pretrainer_no_sentence": dict(sentence=False),
         "bert_span_labeler": dict(answers=True)}
KINDS = {"pooler": ("bert/sentence_prediction", sentence_prediction.SentencePredictionTask, "mg_bert_classifier"),
         "sentence": ("bert/pretraining", masked_lm.MaskedLMTask, "mg_bert_pretrainer"),
         "answers": ("bert/squad", question_answering.QuestionAnsweringTask, "mg_bert_span_labeler")}


def our_name(name):
    """Keras's name from the layer on that the original gave a name to."""
    name = name.split(":")[0]
    return re.search(r"(word_embeddings|position_embedding|type_embeddings|embeddings/layer_norm|transformer/layer_\d+|"
                     r"pooler_transform|sentence_prediction|next_sentence|cls/predictions|predictions/transform/logits)/.*$", name).group(0)


def scale(name, shape):
    return 0.1 if "/bias" in name else 0.5 if "embedding" in name else shape[0] ** -0.5


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
    if "answers" in case:
        batch["start_positions"] = np.array([random.integers(0, n // 2) for n in lengths], np.int32)
        batch["end_positions"] = np.array([random.integers(n // 2, n) for n in lengths], np.int32)
        batch["start_positions"][1] = batch["end_positions"][1] = 0
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
        self.kind = next(iter(case))
        experiment, task, self.model_name = KINDS[self.kind]
        params = exp_factory.get_exp_config(experiment)
        params.task.model.encoder.bert.override(ENCODER)
        if self.kind == "pooler":
            params.task.model.override({"num_classes": 3, "use_encoder_pooler": case["pooler"]})
        elif self.kind == "sentence":
            params.task.model.cls_heads[0].override({"inner_dim": 5, "dropout_rate": 0.0})
            if not case["sentence"]:
                params.task.model.cls_heads = []
        self.task = task(params.task)
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
        wanted = ["input_word_ids", "input_type_ids", "input_mask"] + (["masked_lm_positions"] if self.kind == "sentence" else [])
        return {k: batch[k] for k in wanted}

    def logits_of(self, batch, training):
        out = self.model(self.inputs(batch), training=training)
        if self.kind == "answers":
            return tf.stack(out, 1)
        return out if self.kind == "pooler" else out["mlm_logits"]

    def tape(self, batch):
        """The loss, and its gradients by variable."""
        with tf.GradientTape() as tape:
            out = self.model(self.inputs(batch), training=True)
            extra = {"metrics": self.task.build_metrics()} if self.kind == "sentence" else {}
            loss = self.task.build_losses(labels=batch, model_outputs=out, **extra)
        return float(loss), list(zip(tape.gradient(loss, self.model.trainable_variables), self.model.trainable_variables))

    def gradients(self, batch):
        return {self.names[v.ref()]: np.asarray(tf.convert_to_tensor(g))
                for g, v in self.tape(batch)[1] if g is not None}

    def values(self):
        return {self.names[v.ref()]: v.numpy() for v in self.model.variables}

    def steps(self, batch):
        factory = optimization.OptimizerFactory(self.config)
        optimizer = factory.build_optimizer(factory.build_learning_rate())
        losses, variables = [], self.model.trainable_variables
        self.decays = {self.names[v.ref()]: optimizer._do_use_weight_decay(v.name) for v in variables}
        for _ in range(STEPS):
            loss, gradients = self.tape(batch)
            optimizer.apply_gradients(gradients)
            losses.append(loss)
        return losses


def double_steps(r, batch, decays):
    """The task's own optimizer is for float32."""
    x, m, v = r.values(), {}, {}
    for k in range(1, STEPS + 1):
        r.set(x)
        for n, g in r.gradients(batch).items():
            m[n] = 0.9 * m.get(n, 0.0) + 0.1 * g
            v[n] = 0.999 * v.get(n, 0.0) + 0.001 * g * g
            x[n] = x[n] - RATE * 0.01 * x[n] * decays[n]
            x[n] = x[n] - RATE * np.sqrt(1 - 0.999 ** k) / (1 - 0.9 ** k) * m[n] / (np.sqrt(v[n]) + 1e-7)
    return x


def draw(case, seed):
    """Both precisions from the same values: the batch, the values, and what each run gave."""
    random = np.random.default_rng(seed)
    batch = draw_batch(case, random)
    begin, runs = None, {}
    for floats in ("float32", "float64"):
        r = Run(case, floats)
        r.build(batch)
        if begin is None:
            begin = {r.names[v.ref()]: initial(r.names[v.ref()], v.shape.as_list(), random, scale) for v in r.model.variables}
        r.set(begin)
        results = {"eval_logits_initial": r.logits_of(batch, False).numpy(), "logits": r.logits_of(batch, True).numpy()}
        gradients = r.gradients(batch)
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
    ours = OURS + {"pooler": ",num_label_classes=3,use_encoder_pooler=%s", "answers": "",
                   "sentence": ",sentence_head_size=5,use_sentence_label=%s"}[r.kind].replace("%s", str(case[r.kind]).lower())
    trained = [n for n in sorted(begin) if n in gradients]
    about = {"model": r.model_name, "hparams_set": "mg_bert_base",
             "hparams": ours, "losses": losses, "made_with": "tensorflow " + tf.__version__, "decays": r.decays,
             "trainable": [[n, list(our_shape(n, begin[n]).shape)] for n in trained],
             "not_trainable": [[n, list(our_shape(n, begin[n]).shape)] for n in sorted(begin) if n not in gradients]}
    recordings.save(out, name, tensors, about)
    _, exact, exact_gradients, _, exact_after = runs["float64"]
    noise = {"logits": float(np.abs(results["logits"] - exact["logits"]).max()),
             "gradients": float(apart(gradients, exact_gradients)), "steps": float(apart(after, exact_after))}
    print(name, losses, noise, flush=True)
    return noise


if __name__ == "__main__":
    recordings.main(__doc__, CASES, record)
