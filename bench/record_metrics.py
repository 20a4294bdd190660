#!/usr/bin/env python3
"""Recordings of Tensor2Tensor's metrics: fixtures/recordings/t2t_metrics/metrics.json.

  record_metrics.py [--out=fixtures/recordings/t2t_metrics/metrics.json]

Run by a Python that has tensor2tensor 1.15.7 (TensorFlow 1.15).  Drawn predictions and labels, edge cases among
them, go through functions of its utils/metrics.py and then through tf.metrics.mean, as in an evaluation of one
batch.  A line of the file for each case; null stands for what is not finite there, with its name in "is".
tests/unit/train/test_value_scores.c and test_id_scores.c read it.
"""
import argparse
import json
import os

import numpy as np
import tensorflow.compat.v1 as tf
from tensor2tensor.utils import metrics

VOCAB = 40


def mean(function, *args, **kwargs):
    """What tf.metrics.mean makes of one batch."""
    with tf.Graph().as_default(), tf.Session() as session:
        value, weight = function(*[tf.constant(a) for a in args],
                                 **{k: {n: tf.constant(x) for n, x in v.items()} for k, v in kwargs.items()})
        # tf.metrics.accuracy and the like come as the update's value: once a run of the session.
        _, update = tf.metrics.mean(value, weight)
        session.run(tf.local_variables_initializer())
        return float(session.run(update))


def case(out, name, kind, predictions, labels, value, **more):
    row = {"metric": name, "kind": kind, "rows": len(predictions), "columns": len(predictions[0])}
    row.update((k, np.asarray(v).ravel().tolist()) for k, v in
               dict(predictions=predictions, labels=labels, **more).items())
    row["value"] = float("%.9g" % value) if np.isfinite(value) else None
    if not np.isfinite(value):
        row["is"] = "nan" if np.isnan(value) else "inf" if value > 0 else "-inf"
    out.append(json.dumps(row))


def short(x, digits=4):
    """Float32 values that are few letters."""
    return np.round(np.asarray(x, np.float64), digits).astype(np.float32)


def of_reals(out, rng):
    for rows, columns, top in ((1, 1, 3), (7, 1, 6), (5, 4, 9), (6, 3, 1), (4, 2, 0)):
        p, t = short(rng.normal(0, 1.5, (rows, columns))), np.float32(rng.randint(0, top + 1, (rows, columns)))
        case(out, "log_poisson", "reals", p, t, mean(metrics.padded_log_poisson, p, t))
    p, t = short([[0.5, -30], [2, 4]]), short([[0.25, 2.5], [1e-6, 1000]], 6)
    case(out, "log_poisson", "reals", p, t, mean(metrics.padded_log_poisson, p, t))
    for rows in (1, 2, 9, 64):
        p, t = short(rng.rand(rows, 1)), np.float32(rng.randint(0, 2, (rows, 1)))
        both(out, p, t)
    both(out, short([[0], [0.5], [1.5], [1], [-0.5], [0.4999]]), np.float32([[0], [0], [1], [1], [0], [1]]))
    both(out, short([[0.5], [0.25], [0]]), np.float32([[1], [1], [0]]))
    both(out, short([[0.5], [0.25], [0]]), np.float32([[1], [1], [1]]))  # log 0


def both(out, p, t):
    if len(p) > 1:  # without a batch their squeeze makes a number of it, which einsum refuses
        case(out, "two_class_log_likelihood", "reals", p, t,
             mean(metrics.two_class_log_likelihood, p[:, 0], np.int32(t[:, 0])))
    case(out, "two_class_accuracy", "reals", p, t,
         mean(metrics.two_class_accuracy, p[:, 0], np.int32(t[:, 0])) if len(p) > 1 else
         mean(metrics.two_class_accuracy, p, np.int32(t[0, 0])))


ONE_HOT = {name: metrics.METRICS_FNS[name] for name in (
    "softmax_cross_entropy_one_hot", "sigmoid_accuracy_one_hot", "sigmoid_precision_one_hot",
    "sigmoid_recall_one_hot", "sigmoid_cross_entropy_one_hot")}


def set_case(out, logits, labels):
    """Of logits (B, K) and sets of labels (B, K)."""
    rows, n = logits.shape
    for name, function in ONE_HOT.items():
        case(out, name, "sets", logits, labels,
             mean(function, logits[:, None, None], labels[:, None, None]))
    case(out, "sigmoid_accuracy", "sets", logits, labels,
         mean(metrics.sigmoid_accuracy, logits[:, None, None], np.argmax(labels, -1)[:, None, None]))
    members = np.zeros((rows, n, 1, 1), np.int32)  # ids of the labels that hold, 0 behind them
    for r in range(rows):
        held = np.flatnonzero(labels[r])
        members[r, :len(held), 0, 0] = held
    case(out, "accuracy_multilabel_match3", "sets", logits, labels,
         mean(metrics.multilabel_accuracy_match3, logits[:, None, None, None], members))
    if n == 2:
        case(out, "roc_auc", "sets", logits, labels,
             mean(metrics.roc_auc, logits[:, None, None], np.argmax(labels, -1)[:, None, None, None]))


def of_sets(out, rng):
    for rows, n in ((1, 2), (8, 2), (33, 2), (6, 5), (3, 1)):  # one label each
        set_case(out, short(rng.normal(0, 3, (rows, n))), np.eye(n, dtype=np.float32)[rng.randint(0, n, rows)])
    set_case(out, short(rng.normal(0, 3, (9, 6))), np.float32(rng.rand(9, 6) < 0.4))  # some, or none
    set_case(out, short(rng.normal(0, 3, (4, 2))), np.float32([[0, 1]] * 4))  # one class only
    set_case(out, short(rng.normal(0, 3, (4, 2))), np.float32([[1, 0]] * 4))
    set_case(out, short(rng.normal(0, 3, (3, 4))), np.zeros((3, 4), np.float32))
    # Ties, also of sigmoids that are 1 or 0, and far from 0.
    set_case(out, short([[1, 1, 0], [40, 100, 0], [-200, -300, -150], [0, 0, 0]]),
             np.float32([[0, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]))


def of_ids(out, rng):
    def ids(rows, length, least=0, most=VOCAB):
        x = rng.randint(least, most, (rows, length))
        return np.int32(x)

    def sari(inputs, predictions, labels):
        logits = np.eye(VOCAB, dtype=np.float32)[predictions][:, :, None, None]
        case(out, "approx_sari_score", "ids", predictions, labels,
             mean(metrics.METRICS_FNS["approx_sari_score"], logits, labels[:, :, None, None],
                  features={"inputs": inputs[:, :, None, None]}), inputs=inputs)

    for rows, n_in, n in ((1, 6, 5), (4, 9, 8), (3, 1, 12), (5, 12, 1)):
        sari(ids(rows, n_in, 0, 6), ids(rows, n, 0, 6), ids(rows, n, 0, 6))
    x = ids(3, 7, 1)
    sari(x, x, x)                              # nothing added or left out
    sari(x, x[:, ::-1], x)
    sari(x, np.zeros_like(x), x)               # nothing said
    sari(x, x, np.zeros_like(x))               # nothing to say
    sari(np.zeros_like(x), x, x[::-1])         # nothing given
    sari(np.zeros_like(x), np.zeros_like(x), np.zeros_like(x))
    for rows, n in ((1, 1), (4, 6), (2, 12)):
        p, t = ids(rows, n), ids(rows, n)
        logits = np.eye(VOCAB, dtype=np.float32)[p]
        case(out, "image_rmse", "ids", p, t, mean(metrics.image_rmse, logits, t))
    case(out, "image_rmse", "ids", p, p, mean(metrics.image_rmse, logits, p))


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("--out", default="fixtures/recordings/t2t_metrics/metrics.json")
    a = p.parse_args()
    rng, out = np.random.RandomState(23), []
    of_reals(out, rng)
    of_sets(out, rng)
    of_ids(out, rng)
    os.makedirs(os.path.dirname(a.out) or ".", exist_ok=True)
    with open(a.out, "w", encoding="utf-8") as f:
        f.write("[\n" + ",\n".join(out) + "\n]\n")
    print("%d cases" % len(out))


if __name__ == "__main__":
    main()
