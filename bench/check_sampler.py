#!/usr/bin/env python3
"""Our TPE and Gaussian process, and Optuna's, on standard functions: the best value of so many trials, over many seeds.

  check_sampler.py [--trials=64] [--seeds=41] [--only=TEXT] [--peer=tpe|gp] [--build=DIR]

Run by a Python that has Optuna (--peer=gp: and PyTorch, SciPy).  A C program, which is made here, takes the place of the trainer on both sides: it reads
--hparams and writes the function's value as the loss of an evaluation, so both search the same function with the same digits.
Hparams stand for the function's variables; numbers are drawn with six digits.  Optuna has its defaults (TPE, ten random trials
first), or its GPSampler; trials one at a time.  Random search is ours, for comparison.

Prints a line of JSON for each function: medians and quartiles of the best values, and how often each of ours is better than
theirs over all pairs of seeds (0.5: no difference).  Exits with 1 where theirs is better than our sampler of the same kind and
it is not chance (two standard deviations of that share).
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import optuna

import optuna_search

SOURCE = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const char *hparams = "";
static const char *text(const char *name)
{
    size_t n = strlen(name);
    for (const char *p = hparams; p; p = strchr(p, ','), p += p != NULL)
        if (strncmp(p, name, n) == 0 && p[n] == '=')
            return p + n + 1;
    exit(2);
}
static double of(const char *name) { return strtod(text(name), NULL); }
static const char *const names[] = {"learning_rate_constant", "attention_dropout", "relu_dropout", "label_smoothing",
                                    "initializer_gain", "layer_prepostprocess_dropout"};
static double x(int i) { return of(names[i]); }
static double square(double v) { return v * v; }
static double sphere(void)
{
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += square(x(i) - 1.5);
    return sum;
}
static double rosenbrock(void) { return 100 * square(x(1) - square(x(0))) + square(1 - x(0)); }
static double branin(void)
{
    return square(x(1) - 5.1 / (4 * M_PI * M_PI) * square(x(0)) + 5 / M_PI * x(0) - 6) + 10 * (1 - 1 / (8 * M_PI)) * cos(x(0)) + 10;
}
static double ackley(void)
{
    double a = 0, b = 0;
    for (int i = 0; i < 5; i++)
        a += square(x(i)), b += cos(2 * M_PI * x(i));
    return -20 * exp(-0.2 * sqrt(a / 5)) - exp(b / 5) + 20 + M_E;
}
static double hartmann(void)
{
    static const double alpha[] = {1, 1.2, 3, 3.2},
        A[4][6] = {{10, 3, 17, 3.5, 1.7, 8}, {0.05, 10, 17, 0.1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, 0.05, 10, 0.1, 14}},
        P[4][6] = {{1312, 1696, 5569, 124, 8283, 5886}, {2329, 4135, 8307, 3736, 1004, 9991},
                   {2348, 1451, 3522, 2883, 3047, 6650}, {4047, 8828, 8732, 5743, 1091, 381}};
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double inner = 0;
        for (int j = 0; j < 6; j++)
            inner += A[i][j] * square(x(j) - 1e-4 * P[i][j]);
        sum -= alpha[i] * exp(-inner);
    }
    return sum;
}
/* As a small Transformer has it: a rate with a cliff, that goes with a warmup; little dropout; heads and beta2 matter little. */
static double training(void)
{
    double rate = log(x(0)), warmup = log(of("learning_rate_warmup_steps"));
    double best = 0.5 + 0.4 * (warmup - log(60)), over = rate - best;
    return 4.5 + 0.08 * square(over) + (over > 1 ? 2 * (over - 1) : 0) + 0.03 * square(warmup - log(40)) + 1.5 * x(5) + 2 * x(3) +
        0.03 * (of("num_heads") != 4) + 0.05 * fabs(of("optimizer_adam_beta2") - 0.98) / 0.017;
}
/* Words that decide which of the other values are good. */
static double words(void)
{
    int is_adam = strncmp(text("optimizer"), "adam,", 5) == 0;
    return (is_adam ? 0 : 0.3) + square(log(x(0)) - (is_adam ? -1 : 1.5)) * 0.2 +
        0.02 * fabs(of("num_hidden_layers") - (is_adam ? 5 : 2)) + 0.1 * (strncmp(text("ffn_layer"), "dense_relu_dense", 16) != 0);
}
int main(int argc, char **argv)
{
    static const struct { const char *name; double (*f)(void); } all[] = {
        {"sphere", sphere}, {"rosenbrock", rosenbrock}, {"branin", branin}, {"ackley", ackley}, {"hartmann", hartmann},
        {"training", training}, {"words", words}};
    const char *which = getenv("FUNCTION");
    char path[4096];
    FILE *f;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--output_dir=", 13) == 0) {
            snprintf(path, sizeof path, "%s/metrics.jsonl", argv[i] + 13);
        }
        if (strncmp(argv[i], "--hparams=", 10) == 0)
            hparams = argv[i] + 10;
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(which, all[i].name) == 0) {
            f = fopen(path, "a");
            return !f || fprintf(f, "{\"kind\": \"eval\", \"step\": 9, \"loss\": %.17g}\n", all[i].f()) < 0 || fclose(f) != 0;
        }
    return 2;
}
"""


def floats(n, low, high):
    names = ["learning_rate_constant", "attention_dropout", "relu_dropout", "label_smoothing", "initializer_gain",
             "layer_prepostprocess_dropout"]
    return {name: {"float": [low, high]} for name in names[:n]}


FUNCTIONS = {
    "sphere": floats(4, -5.0, 5.0),
    "rosenbrock": floats(2, -2.0, 2.0),
    "branin": {"learning_rate_constant": {"float": [-5.0, 10.0]}, "attention_dropout": {"float": [0.0, 15.0]}},
    "ackley": floats(5, -5.0, 5.0),
    "hartmann": floats(6, 0.0, 1.0),
    "training": {"learning_rate_constant": {"float": [0.02, 20.0], "scale": "log"},
                 "learning_rate_warmup_steps": {"int": [10, 200], "scale": "log"},
                 "layer_prepostprocess_dropout": {"float": [0.0, 0.3]},
                 "optimizer_adam_beta2": {"discrete": [0.98, 0.99, 0.997]},
                 "num_heads": {"discrete": [2, 4, 8]},
                 "label_smoothing": {"float": [0.0, 0.2]}},
    "words": {"learning_rate_constant": {"float": [0.01, 100.0], "scale": "log"},
              "optimizer": {"categorical": ["adam", "adafactor", "momentum"]},
              "num_hidden_layers": {"int": [1, 8]},
              "ffn_layer": {"categorical": ["dense_relu_dense", "none"]}},
}


def theirs(trainer, params, trials, seed, folder):
    def objective(trial):
        drawn = optuna_search.suggest(trial, params)
        at = os.path.join(folder, "theirs")
        os.makedirs(at, exist_ok=True)
        subprocess.run([trainer, "--output_dir=" + at, "--hparams=" + ",".join("%s=%s" % x for x in drawn.items())], check=True)
        with open(os.path.join(at, "metrics.jsonl"), encoding="utf-8") as f:
            return json.loads(f.readlines()[-1])["loss"]

    study = optuna.create_study(sampler=optuna_search.sampler(args.peer, seed))
    study.optimize(objective, n_trials=trials)
    return study.best_value


class Ours:
    def __init__(self, tmp):
        self.trainer, self.tmp = os.path.join(tmp, "function"), tmp
        with open(self.trainer + ".c", "w", encoding="utf-8") as f:
            f.write(SOURCE)
        subprocess.run(["cc", "-O1", "-D_GNU_SOURCE", "-static", "-o", self.trainer, self.trainer + ".c", "-lm"], check=True)
        self.data = os.path.join(tmp, "data")
        subprocess.run([os.path.join(args.build, "bin", "t2t-datagen"), "--quiet", "--problem=translate_ende_numbers",
                        "--max_cases=100", "--data_dir=" + self.data], check=True, stderr=subprocess.DEVNULL)

    def best(self, params, trials, seed, algorithm):
        folder, file = os.path.join(self.tmp, "ours"), os.path.join(self.tmp, "range.yaml")
        shutil.rmtree(folder, ignore_errors=True)
        with open(file, "w", encoding="utf-8") as f:
            for name, spec in params.items():
                f.write("%s: %s\n" % (name, json.dumps(spec).replace('"', "")))
        out = subprocess.run([os.path.join(args.build, "bin", "t2t-trainer"), "--problem=translate_ende_numbers",
                              "--data_dir=" + self.data, "--output_dir=" + folder, "--hparams_set=transformer_tiny", "--train_steps=9",
                              "--hparams_range=" + file, "--autotune_objective=loss", "--autotune_max_trials=%d" % trials,
                              "--autotune_seed=%d" % seed, "--autotune_algorithm=" + algorithm, "--autotune_trainer=" + self.trainer,
                              "--json", "--quiet"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return json.loads(out.stdout)["best"]["value"]


def quartiles(values):
    """Median first; of one value that."""
    q = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
    return [round(q[1], 6), round(q[0], 6), round(q[2], 6)]


def main():
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    bad = False
    with tempfile.TemporaryDirectory(prefix="t2-sampler-") as tmp:
        side = Ours(tmp)
        for name, params in FUNCTIONS.items():
            if args.only not in name:
                continue
            os.environ["FUNCTION"] = name
            seeds = range(1, args.seeds + 1)
            peer = [theirs(side.trainer, params, args.trials, seed, tmp) for seed in seeds]
            chance = ((2 * args.seeds + 1) / (12 * args.seeds**2)) ** 0.5  # of Mann and Whitney's U, as a share
            line = {"function": name, "trials": args.trials, "seeds": args.seeds, "optuna-" + args.peer: quartiles(peer)}
            better = {}
            for way in ("random", "tpe", "gp"):
                best = [side.best(params, args.trials, seed, way) for seed in seeds]
                line[way] = quartiles(best)
                better[way] = round(sum((a < b) + 0.5 * (a == b) for a in best for b in peer) / len(best) / len(peer), 3)
            bad = bad or better[args.peer] < 0.5 - 2 * chance
            print(json.dumps({**line, "better": better, "chance": round(chance, 3)}), flush=True)
    return bad


p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
p.add_argument("--trials", type=int, default=64)
p.add_argument("--seeds", type=int, default=41)
p.add_argument("--only", default="", metavar="TEXT", help="functions whose name contains TEXT")
p.add_argument("--peer", default="tpe", choices=("tpe", "gp"), help="Optuna's sampler [tpe]")
p.add_argument("--build", default=os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "build", "release"))
args = p.parse_args()
sys.exit(main())
