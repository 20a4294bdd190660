#!/usr/bin/env python3
"""A search by Optuna, for bench_search.py: prints {"value", "seconds", "trials", "steps"} as JSON.

Needs Optuna, for --sampler=gp what that needs, and nothing else.  --trainer is run for each trial, with the flags behind "--", the hparams of --range, an
output_dir of its own, and, for --prune, --pause_at_step for each step of comparison.  Without --trainer the objective is one
of the numbers drawn, at once: what is left is Optuna's own time.
"""
import argparse
import json
import os
import subprocess
import time

import optuna

optuna.logging.set_verbosity(optuna.logging.WARNING)


def suggest(trial, params):
    """{name: value as --hparams takes it}, from {"name": {"float": [a, b], "scale": "log"}} and the like."""
    drawn = {}
    for name, spec in params.items():
        log = spec.get("scale") == "log"
        if "float" in spec:
            drawn[name] = "%.6g" % trial.suggest_float(name, *spec["float"], log=log)
        elif "int" in spec:
            drawn[name] = str(trial.suggest_int(name, *spec["int"], log=log))
        else:
            drawn[name] = str(trial.suggest_categorical(name, spec.get("discrete") or spec["categorical"]))
    return drawn


def sampler(name, seed):
    """With its defaults; gp needs PyTorch and SciPy."""
    return {"tpe": optuna.samplers.TPESampler, "gp": optuna.samplers.GPSampler, "random": optuna.samplers.RandomSampler}[name](seed=seed)


def loss_at(folder, step):
    with open(os.path.join(folder, "metrics.jsonl"), encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    return [x["loss"] for x in lines if x["kind"] == "eval" and x["step"] == step][-1]


class Trainer:
    """The objective: trains a trial, to each rung when trials are pruned, and counts the steps."""

    def __init__(self, args, params, rungs):
        self.args, self.params, self.rungs, self.steps = args, params, rungs, 0

    def __call__(self, trial):
        hparams = suggest(trial, self.params)
        folder = os.path.join(self.args.dir, "trial-%d" % trial.number)
        clauses = ",".join([self.args.hparams] + ["%s=%s" % x for x in hparams.items()])
        done = 0
        for rung in self.rungs:
            subprocess.run([self.args.trainer, *self.args.flags, "--output_dir=" + folder, "--hparams=" + clauses,
                            "--pause_at_step=%d" % rung, "--quiet", "--keep_checkpoint_max=1"], check=True)
            self.steps += rung - done
            done = rung
            value = loss_at(folder, rung)
            trial.report(value, rung)
            if rung != self.rungs[-1] and trial.should_prune():
                raise optuna.TrialPruned()
        return value


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--storage", default="memory", choices=("memory", "journal", "sqlite"))
    p.add_argument("--sampler", default="tpe", choices=("tpe", "gp", "random"))
    p.add_argument("--dir", required=True)
    p.add_argument("--range", required=True, help="JSON")
    p.add_argument("--trials", type=int, required=True)
    p.add_argument("--budget", type=int, help="stop after this many training steps instead")
    p.add_argument("--rungs", default="", help="steps of comparison, the last is the end: 10,30,90")
    p.add_argument("--prune", action="store_true", help="by SuccessiveHalvingPruner, one of three goes on")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--trainer")
    p.add_argument("--hparams", default="")
    p.add_argument("flags", nargs="*")
    args = p.parse_args()
    params = json.loads(args.range)
    rungs = [int(x) for x in args.rungs.split(",")] if args.rungs else []
    os.makedirs(args.dir, exist_ok=True)
    if args.storage == "sqlite":
        storage = "sqlite:///%s" % os.path.join(os.path.abspath(args.dir), "study.db")
    elif args.storage == "journal":
        storage = optuna.storages.JournalStorage(
            optuna.storages.journal.JournalFileBackend(os.path.join(args.dir, "study.log")))
    else:
        storage = None
    pruner = optuna.pruners.SuccessiveHalvingPruner(min_resource=rungs[0], reduction_factor=3) if args.prune else optuna.pruners.NopPruner()
    trainer = Trainer(args, params, rungs if args.prune else rungs[-1:])

    def no_op(trial):
        return float(list(suggest(trial, params).values())[0])

    def stop_when_spent(study, _):
        if args.budget and trainer.steps + rungs[0 if args.prune else -1] > args.budget:
            study.stop()

    began = time.perf_counter()
    study = optuna.create_study(storage=storage, sampler=sampler(args.sampler, args.seed), pruner=pruner)
    study.optimize(trainer if args.trainer else no_op, n_trials=args.trials, callbacks=[stop_when_spent])
    print(json.dumps({"value": study.best_value, "seconds": time.perf_counter() - began, "trials": len(study.trials),
                      "steps": trainer.steps}))


if __name__ == "__main__":
    main()
