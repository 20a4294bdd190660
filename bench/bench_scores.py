#!/usr/bin/env python3
"""Scores: t2t-bleu beside sacreBLEU 2.6, rouge-score 0.1.2 and jiwer 4, on the same files in the same run.

  python3 bench/bench_scores.py --python VENV/bin/python [--quick] [--only TEXT]

VENV has sacrebleu, rouge-score and jiwer.  Each figure is there twice: "process" takes whole programs, start of
Python included; "call" the package's function alone, after its imports and with the lines in memory, beside our
whole program.  Seconds are those of the processor (user and system), which other work on the machine changes
least; neither side uses more than one thread.  The text: German references of T2_DATA (made words without them); a
hypothesis is its reference with one word in five dropped or swapped; where two systems are compared, the second one
turns every ninth line of it round.
"""
import glob
import gzip
import json
import os
import random
import resource
import subprocess
import sys

import common

GOALS = {"bleu": 50, "chrf": 30, "ter": 30, "bootstrap": 50, "paired": 50, "randomised": 50, "rouge": 50,
         "rouge_stems": 50, "wer": None}
LINES = {"bleu": 20000, "chrf": 10000, "ter": 2000, "bootstrap": 10000, "paired": 10000,
         "randomised": 10000, "rouge": 10000, "rouge_stems": 5000, "wer": 10000}

PAIRED = ("paired", "randomised")
SAMPLES = {"bootstrap": ", 1000 resamples", "paired": ", 1000 resamples", "randomised": ", 10000 trials"}

# argv: figure, reference, hypothesis; prints seconds of the call and what was found.
PEER = r"""
import json, sys, time
what, ref, hyp = sys.argv[1:4]
r = [x.rstrip() for x in open(ref, encoding="utf-8", newline="\n")]
h = [x.rstrip() for x in open(hyp, encoding="utf-8", newline="\n")]
if what in ("bleu", "chrf", "ter", "bootstrap", "paired", "randomised"):
    from sacrebleu.metrics import BLEU, CHRF, TER
    import numpy
    def paired():
        from sacrebleu.significance import PairedTest
        other = [" ".join(x.split()[::-1]) if i % 9 == 0 else x for i, x in enumerate(h)]
        test = {"test_type": "bs", "n_samples": 1000} if what == "paired" else {"test_type": "ar", "n_samples": 10000}
        scores = PairedTest([("a", h), ("b", other)], {"BLEU": BLEU()}, [r], **test)()[1]["BLEU"]
        bounds = [x for s in scores for x in ((s.score, s.mean, s.ci) if what == "paired" else (s.score,))]
        return " ".join("%.9f" % x for x in bounds + [scores[1].p_value])
    def call():
        if what in ("paired", "randomised"):
            return paired()
        m = {"chrf": CHRF, "ter": TER}.get(what, BLEU)()
        s = m.corpus_score(h, [r], n_bootstrap=1000 if what == "bootstrap" else 1)
        return "%.9f" % (s._mean if what == "bootstrap" else s.score)
elif what == "wer":
    import jiwer
    def call():
        return "%.9f" % jiwer.wer(r, h) + " %.9f" % jiwer.cer(r, h)
else:
    from rouge_score import rouge_scorer
    import logging
    scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=what == "rouge_stems")
    def call():
        s = [scorer.score(a, b) for a, b in zip(r, h)]
        return " ".join("%.6f" % (sum(x[k].fmeasure for x in s) / len(s)) for k in ("rouge1", "rouge2", "rougeL"))
begin = time.process_time()
found = call()
print(json.dumps({"seconds": time.process_time() - begin, "found": found}))
"""

FLAGS = {"bleu": ["--scorer=sacrebleu", "--score_only", "--width=9"],
         "chrf": ["--scorer=sacrebleu", "--metrics=chrf", "--score_only", "--width=9"],
         "ter": ["--scorer=sacrebleu", "--metrics=ter", "--score_only", "--width=9"],
         "bootstrap": ["--scorer=sacrebleu", "--confidence", "--format=json", "--width=9"],
         "paired": ["--scorer=sacrebleu", "--paired_bs", "--format=json", "--width=9"],
         "randomised": ["--scorer=sacrebleu", "--paired_ar", "--format=json", "--width=9"],
         "rouge": ["--scorer=rouge", "--rouge_variant=rouge-score", "--width=6"],
         "rouge_stems": ["--scorer=rouge", "--rouge_variant=rouge-score", "--use_stemmer", "--width=6"],
         "wer": ["--scorer=wer", "--width=9"]}


def references(data, n):
    lines = []
    for path in sorted(glob.glob(os.path.join(data, "wmt-newstest-ende", "*.de.gz"))):
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as f:
            lines += [x.rstrip() for x in f if x.strip()]
    if not lines:
        rng = random.Random(1)
        lines = [" ".join("".join(rng.choice("aeiounrstlmd") for _ in range(rng.randrange(2, 11)))
                          for _ in range(rng.randrange(4, 40))) + "." for _ in range(5000)]
    return [lines[i % len(lines)] for i in range(n)]


def hypothesis(lines):
    rng, out = random.Random(0), []
    for x in lines:
        w = x.split()
        for _ in range(len(w) // 5):
            i = rng.randrange(len(w))
            if rng.random() < 0.5:
                w[i], w[i - 1] = w[i - 1], w[i]
            elif len(w) > 2:
                del w[i]
        out.append(" ".join(w))
    return out


def found(what, text):
    """The numbers that the peer prints, out of ours."""
    if what == "bootstrap":
        return "%.9f" % json.loads(text)["confidence_mean"]
    if what in PAIRED:
        scores = [s["BLEU"] for s in json.loads(text)]
        keys = ("score", "mean", "ci") if what == "paired" else ("score",)
        return " ".join("%.9f" % x for x in [s[k] for s in scores for k in keys] + [scores[1]["p_value"]])
    return " ".join(x.split(" = ")[-1].split()[0] for x in text.splitlines())


def cpu_seconds():
    """Of all children that have ended."""
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def main():
    def flags(p):
        p.add_argument("--python", default="", help="interpreter of an environment with the packages")

    args = common.arguments("scores", __doc__, flags)
    bench = common.Bench("scores", args)
    folder = bench.tmp
    program = os.path.join(args.build, "bin", "t2t-bleu")
    for what, goal in GOALS.items():
        n = LINES[what] // (10 if args.quick else 1)
        ref, hyp = os.path.join(folder, what + ".ref"), os.path.join(folder, what + ".hyp")
        lines = references(args.data, n)
        hypotheses = hypothesis(lines)
        other = [" ".join(x.split()[::-1]) if i % 9 == 0 else x for i, x in enumerate(hypotheses)]
        for path, text in ((ref, lines), (hyp, hypotheses), (hyp + ".other", other)):
            with open(path, "w", encoding="utf-8", newline="") as f:
                f.write("\n".join(text) + "\n")

        def ours(what=what, ref=ref, hyp=hyp, n=n):
            begin = cpu_seconds()
            second = ["--translation=" + hyp + ".other"] if what in PAIRED else []
            out = subprocess.run([program, "--translation=" + hyp, *second, "--reference=" + ref, "-j",
                                  str(args.threads), *FLAGS[what]], check=True, capture_output=True).stdout.decode()
            return n / (cpu_seconds() - begin), found(what, out)

        def peer(whole, what=what, ref=ref, hyp=hyp, n=n):
            begin = cpu_seconds()
            out = json.loads(subprocess.run([args.python, "-c", PEER, what, ref, hyp], check=True,
                                            capture_output=True).stdout.decode().splitlines()[-1])
            return n / (cpu_seconds() - begin if whole else out["seconds"]), out["found"]

        package = "jiwer" if what == "wer" else "rouge-score" if what.startswith("rouge") else "sacrebleu"
        for whole in (True, False):
            bench.figure("scores.%s.%s" % (what, "process" if whole else "call"),
                         "%s of %d lines%s" % (what, n, SAMPLES.get(what, "")), "lines/cpu s",
                         ours=ours, goal=goal,
                         peers={package: (lambda whole=whole, peer=peer: peer(whole), "the same numbers")}
                         if args.python else {}, ceiling="")
    sys.exit(bench.finish())


if __name__ == "__main__":
    main()
