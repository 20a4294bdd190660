#!/usr/bin/env python3
"""Scores of ids and lists of metrics, as Tensor2Tensor's own code has them, against ours.

  check_eval_scores.py --t2t_datagen=build/release/bin/t2t-datagen [--table=train/runs/problem_metrics.c]

Run by a Python that has tensor2tensor 1.15.7 (TensorFlow 1.15).  Made-up predictions and labels go through the
functions of utils/metrics.py, as logits, and their means through tf.metrics.mean, batch by batch, as an
evaluation does: the numbers of tests/unit/train/test_id_scores.c are what it prints.  Then eval_metrics() of
every problem that t2t-datagen knows, too, is compared with the table.
"""
import argparse
import fnmatch
import re
import subprocess
import sys

import numpy as np
import tensorflow.compat.v1 as tf
from tensor2tensor import problems  # pylint: disable=unused-import
from tensor2tensor.utils import metrics, registry

BATCHES = [(4, 9), (3, 1), (5, 17)]  # rows, length
BYTES = [0, 1, 2, 34, 99, 100, 34, 101, 258, 300, 3]  # what stands for 0, 1, ... in ids of bytes
VOCAB = 320
BITS = {"approx_bleu_score": "EV_APPROX_BLEU", "rouge_2_fscore": "EV_ROUGE_IDS", "rouge_L_fscore": "EV_ROUGE_IDS",
        "edit_distance": "EV_EDIT_DISTANCE", "word_error_rate": "EV_WORD_ERROR_RATE"}
# What a list of metrics may have besides.
LISTED = dict(BITS, disc_mol_neg_log_perplexity="EV_DMOL_PERPLEXITY")


def batch(rows, length, of_bytes):
    """The ids of test_id_scores.c."""
    ids = np.zeros((2, rows, length), np.int32)
    for i in range(rows * length):
        row, column = divmod(i, length)
        said = (i * i * 5 + i * 3 + 1) % 11
        right = (i * 7 + 2) % 11 if i % 4 == 0 else said
        if column >= length - row % 4 and column > 0:
            right = 0
        ids[0, row, column] = BYTES[said] if of_bytes else said
        ids[1, row, column] = BYTES[right] if of_bytes else right
    return ids


def scores(of_bytes):
    predictions = tf.placeholder(tf.float32, [None, None, 1, 1, VOCAB])
    labels = tf.placeholder(tf.int32, [None, None, 1, 1])
    means, updates = {}, []
    for name in BITS:
        if name != "word_error_rate" or of_bytes:
            value, weight = metrics.METRICS_FNS[name](predictions, labels)
            means[name], update = tf.metrics.mean(value, weight)
            updates.append(update)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        for rows, length in BATCHES:
            said, right = batch(rows, length, of_bytes)
            logits = np.eye(VOCAB, dtype=np.float32)[said][:, :, None, None, :]
            session.run(updates, {predictions: logits, labels: right[:, :, None, None]})
        for name, value in session.run(means).items():
            print("%-18s %.9g" % (name + (" of bytes" if of_bytes else ""), value))


def table(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    rows = re.findall(r'^    \{"([^"]+)", ([A-Z_0-9 |]+)\},$', text, re.M)
    named = dict(re.findall(r"(OF_[A-Z]+) = ([A-Z_ |]*[A-Z])", text))
    return [(p, set(named.get(m, m).replace("0", "").split(" | ")) - {""}) for p, m in rows], named


def lists(t2t_datagen, path):
    rows, named = table(path)
    ours = set(re.findall(r"^  (?:[*] )?([a-z][a-z0-9_]+) ", subprocess.run(
        [t2t_datagen], capture_output=True, text=True, check=False).stderr, re.M)) if t2t_datagen else set()
    n = n_wrong = 0
    for name in sorted(set(registry.list_base_problems()) & ours):
        try:
            theirs = {LISTED[m] for m in registry.problem(name).eval_metrics() if m in LISTED}
        except Exception as e:  # needs a package that is not there
            print("%s: %s" % (name, e))
            continue
        kind = "OF_SPEECH" if name.startswith(("librispeech", "common_voice")) else "OF_TEXT"
        fits = [m for p, m in rows if fnmatch.fnmatchcase(name, p)]
        said = fits[0] if fits else set(named[kind].split(" | "))
        n += 1
        if said != theirs:
            n_wrong += 1
            print("%s: %s, expected %s" % (name, sorted(said), sorted(theirs)))
    print("%d problems, %d differ" % (n, n_wrong))
    return n_wrong


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("--t2t_datagen")
    p.add_argument("--table", default="train/runs/problem_metrics.c")
    a = p.parse_args()
    scores(False)
    tf.reset_default_graph()
    scores(True)
    sys.exit(1 if lists(a.t2t_datagen, a.table) else 0)


if __name__ == "__main__":
    main()
