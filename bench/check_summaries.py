#!/usr/bin/env python3
"""Does TensorBoard itself see in a run's folder what metrics.jsonl says, each number once?

  check_summaries.py RUN...

Reads the event files by TensorBoard's EventAccumulator (`pip install tensorboard`), the runs of
t2t-trainer being folders with metrics.jsonl.  Prints one JSON line a run; exit code 1 where a number is
missing, differs, or is there twice.
"""
import json
import os
import struct
import sys

from tensorboard.backend.event_processing import event_accumulator
from tensorboard.plugins.hparams import metadata


def opened(folder):
    a = event_accumulator.EventAccumulator(folder, size_guidance={"scalars": 0, "tensors": 0})
    return a.Reload()


def as_float32(v):
    return struct.unpack("f", struct.pack("f", v))[0]


def close(a, b):  # metrics.jsonl has nine digits
    return a == b or abs(as_float32(a) - b) <= 1e-6 * abs(b)


def check(name, lines, key, accumulator, tag):
    if tag not in accumulator.Tags()["scalars"]:
        if lines:
            print(f"{name}: there is no {tag}", file=sys.stderr)
        return len(lines)
    points = {e.step: e.value for e in accumulator.Scalars(tag)}
    wanted = {line["step"]: line[key] for line in lines if line[key] is not None}
    bad = [s for s in wanted if s not in points or not close(wanted[s], points[s])]
    twice = len(accumulator.Scalars(tag)) - len(points)
    for s in bad:
        print(f"{name}: {tag} of step {s}: {points.get(s)}, not {wanted[s]}", file=sys.stderr)
    if twice:
        print(f"{name}: {twice} values of {tag} are there twice", file=sys.stderr)
    return len(bad) + twice


def main():
    n_bad = 0
    for run in sys.argv[1:]:
        with open(os.path.join(run, "metrics.jsonl")) as f:
            lines = [json.loads(line) for line in f]
        train = [x for x in lines if x["kind"] == "train"]
        evals = [x for x in lines if x["kind"] == "eval"]
        garden = os.path.isdir(os.path.join(run, "validation"))
        if not train and not evals:  # it stopped in its first step
            print(json.dumps({"run": run, "train_tags": 0, "eval_tags": 0, "different": 0}))
            continue
        a = opened(os.path.join(run, "train") if garden else run)
        bad = check(run, train, "loss_mean", a, "training_loss" if garden else "t2t/loss_mean")
        bad += check(run, train, "learning_rate", a, "learning_rate")
        if not garden:
            bad += check(run, train, "loss", a, "loss")
        session = a.summary_metadata["_hparams_/session_start_info"].plugin_data.content
        n_hparams = len(metadata.parse_session_start_info_plugin_data(session).hparams)
        n_eval = 0
        if evals:
            b = opened(os.path.join(run, "validation" if garden else "eval"))
            bad += check(run, evals, "loss", b, "validation_loss" if garden else "loss")
            accuracy = [t for t in b.Tags()["scalars"] if t.split("/")[-1] == "accuracy"]
            bad += check(run, evals, "accuracy", b, accuracy[0])
            n_eval = len(b.Tags()["scalars"])
        print(json.dumps({"run": run, "train_tags": len(a.Tags()["scalars"]), "eval_tags": n_eval,
                          "histograms": len(a.Tags()["histograms"]), "hparams": n_hparams,
                          "different": bad}))
        n_bad += bad
    return 1 if n_bad else 0


if __name__ == "__main__":
    sys.exit(main())
