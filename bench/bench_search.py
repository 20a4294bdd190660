#!/usr/bin/env python3
"""A search for hparams: t2t-trainer --hparams_range and Optuna, with the same trainer, range and budget.

  python3 -m venv ENVS/optuna && ENVS/optuna/bin/pip install optuna
  python3 bench/bench_search.py --peers ENVS [--trials 64] [--steps 180] [--quick]

search.overhead: trials a second when a trial takes no time.  Both run the same program for each trial, which says when its main
begins and ends; what is counted is the time from the first trial's beginning to the last one's end, less that inside of trials:
what the search does between two trials, with starting a process and finding its result.  Starting the search itself, and
reporting, are not counted.  Ours draws by --way (gp or tpe), Optuna by TPE; Optuna's storage is memory, its journal file, or
sqlite.  A study of ours goes on after kill -9, as one in a journal or in sqlite does; one in memory does not.

search.loss: the best validation loss, as exp(-loss), so that the ratio is exp(theirs - ours) and 1 is "no worse".  The budget is
that of --trials whole trials, in training steps.  Ours is --way: gp or tpe (whole trials), asha-gp, asha-tpe, halving-tpe or
halving (random trials); theirs is the sampler that Optuna has by default (TPE), with whole trials, or with its
SuccessiveHalvingPruner at the same steps as ours.  Each pair has another seed, from --seed on.  A small Transformer on Multi30k (multi30k-en-de in --data); trials one at a time on both sides.
"""
import json
import math
import os
import shutil
import subprocess
import sys
import time

import common

NO_OP = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(int argc, char **argv)
{
    double begin = now();
    char path[4096], *x = "0";
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--output_dir=", 13) == 0) {
            mkdir(argv[i] + 13, 0777);
            snprintf(path, sizeof path, "%s/metrics.jsonl", argv[i] + 13);
        }
        if (strncmp(argv[i], "--hparams=", 10) == 0)
            x = strstr(argv[i], "learning_rate_constant=") + 23;
    }
    FILE *f = fopen(path, "a"), *times = fopen(getenv("TIMES"), "a");
    if (!f || fprintf(f, "{\"kind\": \"eval\", \"step\": 9, \"loss\": %.*s}\n", (int) strcspn(x, ","), x) < 0 || fclose(f) != 0)
        return 1;
    return !times || fprintf(times, "%.9f %.9f\n", begin, now()) < 0 || fclose(times) != 0;
}
"""
RANGE = {"learning_rate_constant": {"float": [0.02, 20.0], "scale": "log"},
         "learning_rate_warmup_steps": {"int": [10, 200], "scale": "log"},
         "layer_prepostprocess_dropout": {"float": [0.0, 0.3]},
         "optimizer_adam_beta2": {"discrete": [0.98, 0.99, 0.997]},
         "num_heads": {"discrete": [2, 4, 8]},
         "label_smoothing": {"float": [0.0, 0.2]}}
HPARAMS = "batch_size=1024,max_length=64,hidden_size=64,filter_size=128,num_hidden_layers=1"


def flags_of(problem, data, steps):
    return ["--problem=" + problem, "--data_dir=" + data, "--hparams_set=transformer_tiny", "--train_steps=%d" % steps,
            "--local_eval_frequency=1000000", "--eval_steps=5", "--num_threads=%d" % args.threads]


def rungs_of(steps):
    """As t2t-trainer makes them: three, one third of the steps each time."""
    rungs = [steps]
    for _ in range(2):
        rungs.insert(0, -(-rungs[0] // 3))
    return rungs


def trials_within(budget, rungs):
    """The most trials whose halving takes no more steps."""
    n = 1
    while True:
        steps, before, at_rung = 0, 0, n + 1
        for rung in rungs:
            steps += at_rung * (rung - before)
            before, at_rung = rung, max(at_rung // 3, 1)
        if steps > budget:
            return n
        n += 1


def steps_taken(folder):
    """What the trials of a study trained, from its file."""
    study, done = None, {}
    with open(os.path.join(folder, "study.jsonl"), encoding="utf-8") as f:
        for line in map(json.loads, f):
            if line["event"] == "study":
                study = line
            if line["event"] == "done":
                done[line["trial"]] = study["rungs"][line["rung"]]
    return sum(done.values())


class Searches:
    def __init__(self, bench):
        self.bench, self.n = bench, 0
        self.range = bench.temporary("range.yaml")
        with open(self.range, "w", encoding="utf-8") as f:
            for name, spec in RANGE.items():
                f.write("%s: %s\n" % (name, json.dumps(spec).replace('"', "")))

    def folder(self):
        """A fresh one."""
        self.n += 1
        path = self.bench.temporary("search-%d" % self.n)
        shutil.rmtree(path, ignore_errors=True)
        return path

    def ours(self, problem, data, steps, trials, more, folder=None):
        """A search by t2t-trainer: its report, folder and seconds."""
        folder = folder or self.folder()
        began = time.perf_counter()
        out = self.bench.run([self.bench.ours("t2t-trainer"), *flags_of(problem, data, steps), "--output_dir=" + folder,
                              "--hparams=" + HPARAMS, "--hparams_range=" + self.range, "--autotune_objective=loss",
                              "--autotune_max_trials=%d" % trials, "--json", "--quiet", *more], timeout_s=36000)
        return out, folder, time.perf_counter() - began

    def theirs(self, trials, more, flags=()):
        return self.bench.run([self.bench.python("optuna"), os.path.join(common.HERE, "optuna_search.py"), "--dir=" + self.folder(),
                               "--range=" + json.dumps(RANGE), "--trials=%d" % trials, *more, "--", *flags], timeout_s=36000)


def overhead(bench, searches):
    n, data = args.trials, bench.temporary("numbers")
    source, trainer = bench.temporary("no_op.c"), bench.temporary("no_op")
    with open(source, "w", encoding="utf-8") as f:
        f.write(NO_OP)
    subprocess.run(["cc", "-O1", "-static", "-o", trainer, source], check=True)
    subprocess.run([bench.ours("t2t-datagen"), "--quiet", "--problem=translate_ende_numbers", "--max_cases=100", "--data_dir=" + data],
                   check=True, stderr=subprocess.DEVNULL)

    os.environ["TIMES"] = bench.temporary("times")

    def rate(search):
        """Trials a second of time between trials."""
        open(os.environ["TIMES"], "w", encoding="utf-8").close()
        search()
        with open(os.environ["TIMES"], encoding="utf-8") as f:
            times = [[float(x) for x in line.split()] for line in f]
        if len(times) != n:
            raise common.Refused("%d trials in place of %d" % (len(times), n))
        between = times[-1][1] - times[0][0] - sum(end - begin for begin, end in times)
        print("bench: %.3f ms between two trials, %.3f ms in one" %
              (1000 * between / (n - 1), 1000 * sum(end - begin for begin, end in times) / n), file=sys.stderr)
        return (n - 1) / between

    def ours():
        folder = searches.folder()
        searches.ours("translate_ende_numbers", data, 9, n, ["--autotune_trainer=" + trainer, "--autotune_algorithm=" + ("tpe" if "tpe" in args.way else "gp")], folder)
        shutil.rmtree(folder)

    def theirs(storage):
        return lambda: rate(lambda: searches.theirs(n, ["--storage=" + storage, "--trainer=" + trainer, "--rungs=9"]))

    has = bench.has("optuna", "optuna")
    bench.figure("search.overhead", "%d trials that take no time" % n, "trials/s", lambda: rate(ours),
                 peers={"optuna-" + s: (theirs(s) if has else None, "as many trials") for s in ("memory", "journal", "sqlite")},
                 goal={"optuna-journal": 10, "optuna-sqlite": 10}, ceiling=None)


def loss(bench, searches):
    rungs, budget = rungs_of(args.steps), args.trials * args.steps
    data, source = bench.temporary("multi30k"), os.path.join(args.data, "multi30k-en-de")
    if not os.path.exists(os.path.join(source, "train.en.gz")):
        print("bench: no multi30k-en-de in '%s': search.loss is left out" % args.data, file=sys.stderr)
        return
    if not os.path.exists(os.path.join(data, "done")):
        subprocess.run([bench.ours("t2t-datagen"), "--name=multi30k_ende", "--vocab_size=4000", "--data_dir=" + data, "--quiet",
                        "--train=%s,%s" % (source + "/train.en.gz", source + "/train.de.gz"),
                        "--dev=%s,%s" % (source + "/val.en.gz", source + "/val.de.gz")], check=True)
        open(os.path.join(data, "done"), "w", encoding="utf-8").close()
    seeds, known = {"ours": 0, "whole": 0, "pruned": 0}, {}

    def seed(side):
        seeds[side] += 1
        return args.seed + (seeds[side] - 1) % args.pairs

    def ours():
        """A study is the same for the same seed: those of a second peer are known."""
        at = seed("ours")
        if at not in known:
            known[at] = study(at)
        return known[at]

    def study(at):
        algorithm, _, sampler = args.way.partition("-")
        trials = args.trials if algorithm in ("gp", "tpe") else trials_within(budget, rungs)
        more = ["--autotune_algorithm=" + algorithm, "--autotune_seed=%d" % at]
        out, folder, seconds = searches.ours("multi30k_ende", data, args.steps, trials,
                                             more + (["--autotune_sampler=" + sampler] if sampler else []))
        steps = steps_taken(folder)
        print("bench: ours (%s, seed %d): loss %.4f, %d trials, %d of %d steps, %.0f s" %
              (args.way, at, out["best"]["value"], len(out["trials"]), steps, budget, seconds), file=sys.stderr)
        shutil.rmtree(folder)
        return math.exp(-out["best"]["value"])

    def theirs(side, more):
        def call():
            out = searches.theirs(100000, [*more, "--seed=%d" % seed(side), "--budget=%d" % budget, "--hparams=" + HPARAMS,
                                           "--rungs=" + ",".join(map(str, rungs)), "--trainer=" + bench.ours("t2t-trainer")],
                                  flags_of("multi30k_ende", data, args.steps))
            print("bench: %s: loss %.4f, %d trials, %d of %d steps, %.0f s" %
                  (side, out["value"], out["trials"], out["steps"], budget, out["seconds"]), file=sys.stderr)
            return math.exp(-out["value"])
        return call

    has = bench.has("optuna", "optuna")
    bench.figure("search.loss", "best of %d x %d training steps" % (args.trials, args.steps), "exp(-loss)", ours,
                 peers={"optuna-whole": (theirs("whole", []) if has else None, "same steps"),
                        "optuna-pruned": (theirs("pruned", ["--prune"]) if has else None, "same steps")},
                 goal=1, ceiling=None)


def more_flags(p):
    p.add_argument("--trials", type=int, default=64, help="whole trials that the budget has [64]")
    p.add_argument("--way", default="gp", choices=("gp", "tpe", "asha-gp", "asha-tpe", "halving-tpe", "halving"), help="of ours [gp]")
    p.add_argument("--seed", type=int, default=1, help="of the first pair [1]")
    p.add_argument("--steps", type=int, default=180, help="training steps of a whole trial [180]")


args = common.arguments("search", __doc__, more_flags)
if args.quick:
    args.trials, args.steps = min(args.trials, 16), min(args.steps, 45)
bench = common.Bench("search", args)
searches = Searches(bench)
overhead(bench, searches)
loss(bench, searches)
sys.exit(bench.finish())
