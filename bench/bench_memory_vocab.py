#!/usr/bin/env python3
"""What t2t-vocab build and count really take, against what they say and what they are allowed.

  python3 bench/bench_memory_vocab.py [--tool PATH] [--dir DIR] [--mb 1100] [--only WORD] [--keep]
  python3 bench/bench_memory_vocab.py --text KIND >FILE     only the text

Texts made here, the same on every machine:
  distinct605k  605,000 distinct words of a language of syllables, common ones often
  rare          every line has words of its own: distinct words grow with the text
  long          words of 100 kB among those of `distinct605k`, one in a thousand lines
  digits        numbers: few characters, many words
  cjk           words without blanks, of 3,000 characters of three bytes
  repetitive    words that are one syllable again and again, up to 400 characters

Prints one JSON line per run: seconds, peak RSS (wait4), the plan that build printed, and whether a limit
was kept.  Exit code 1 when one was not, or when a plan is off by more than 15 % (of 48 MB or more).
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

ONSETS = "b br c ch d dr f fl g gr h j k l m n p pr qu r s sch st t tr v w z".split()
VOWELS = "a e i o u ä ei au ie".split()
CODAS = ["", "n", "r", "s", "l", "t", "ng", "st", "rm"]
SYLLABLES = [o + v + c for o in ONSETS for v in VOWELS for c in CODAS]
READING_BYTES = 12 << 20  # what --help says that reading takes for each thread, and the program itself
TOLERANCES = {"repetitive": 0.3}  # how far the search goes down there, the first round does not tell
UNITS = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}


def word(i):
    """Word i, for all i another one: its digits in base len(SYLLABLES) are its syllables."""
    out = []
    i += len(SYLLABLES) * 2  # two syllables at least
    while i:
        i, k = divmod(i, len(SYLLABLES))
        out.append(SYLLABLES[(k * 7919 + len(out)) % len(SYLLABLES)])
    return "_".join(out) if len(out) > 3 else "".join(out)


def distinct_words(n):
    """n distinct ones: syllables may join to the same word in two ways, so it is checked."""
    words, seen, i = [], set(), 0
    while len(words) < n:
        w = word(i)
        i += 1
        if w not in seen:
            seen.add(w)
            words.append(w)
    return words


def lines_of(words, rng, extra=40):
    """Each word once, the early ones again and again."""
    order = list(range(len(words)))
    rng.shuffle(order)
    for at in range(0, len(order), 8):
        often = (words[int(len(words) * rng.random() ** 6)] for _ in range(extra))
        yield " ".join([words[k] for k in order[at:at + 8]] + list(often))


def make(kind, out, mb):
    rng = random.Random(kind)
    if kind == "distinct605k":
        for line in lines_of(distinct_words(605000), rng):
            out.write(line + "\n")
    elif kind == "rare":
        common = ["%s " % " ".join(rng.choice(SYLLABLES) for _ in range(12)) for _ in range(5000)]
        written = i = 0
        while written < mb * 1000000:
            block = "".join("%s%x %s\n" % (c, i * 5003 + k, word(i * 5003 + k)) for k, c in enumerate(common))
            out.write(block)
            written += len(block.encode())
            i += 1
    elif kind == "long":
        for i, line in enumerate(lines_of(distinct_words(60000), rng)):
            out.write(line + "\n")
            if i % 1000 == 0:
                out.write("".join(rng.choice(SYLLABLES) for _ in range(40000))[:100000] + "\n")
    elif kind == "digits":
        for i in range(400000):
            out.write("%d %d.%d\n" % (i * 7919 % 10000000, i, i * 31 % 1000))
    elif kind == "cjk":
        for _ in range(40000):
            out.write("".join(chr(0x4e00 + int(3000 * rng.random() ** 3)) for _ in range(rng.randrange(3, 40))) + "\n")
    elif kind == "repetitive":
        for i in range(20000):
            out.write(SYLLABLES[i % len(SYLLABLES)] * (1 + i % 100) + "\n")


def run(command):
    """-> seconds, peak RSS in bytes, stderr, exit code"""
    start = time.monotonic()
    p = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    err = p.stderr.read()
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    return time.monotonic() - start, usage.ru_maxrss * 1024, err, p.returncode


def planned(err):
    """What build says: bytes and seconds."""
    found = re.search(r"building (?:needs|takes) about ([0-9.]+) ([kMG]?B)", err)
    return int(float(found.group(1)) * UNITS[found.group(2)]) if found else None


class Runs:
    def __init__(self, args, folder):
        self.args, self.folder, self.bad = args, folder, 0

    def report(self, **row):
        if row.get("ok") is False:
            self.bad += 1
        print(json.dumps(row), flush=True)

    def text(self, kind):
        path = os.path.join(self.folder, kind + ".txt")
        if not os.path.exists(path):
            with open(path + ".part", "w", encoding="utf-8", newline="\n") as f:
                make(kind, f, self.args.mb)
            os.rename(path + ".part", path)
        return path

    def build(self, name, inputs, threads, goal=None, flags=()):
        command = [self.args.tool, "build", "-j%d" % threads, "-o", os.path.join(self.folder, "vocab"), *flags, *inputs]
        seconds, rss, err, code = run(command)
        plan = planned(err)
        off = rss / plan - 1 if plan else None
        ok = code == 0 and (goal is None or rss <= goal) and (off is None or rss < 48e6 or abs(off) <= TOLERANCES.get(name, 0.15))
        self.report(run="build", text=name, threads=threads, flags=list(flags), seconds=round(seconds, 2),
                    rss_mb=round(rss / 1e6, 1), plan_mb=round(plan / 1e6, 1) if plan else None,
                    rss_to_plan=round(rss / plan, 3) if plan else None,
                    goal_mb=goal / 1e6 if goal else None, ok=ok)

    def count(self, name, path, threads, limit):
        out = os.path.join(self.folder, "counts.%d" % limit)
        command = [self.args.tool, "count", "-j%d" % threads, "--max_memory=%d" % limit, "-o", out, path]
        seconds, rss, err, code = run(command)
        parts = re.search(r"joining (\d+) sorted parts", err)
        allowed = limit + READING_BYTES * (1 + threads) if limit else None
        self.report(run="count", text=name, threads=threads, bytes_mb=round(os.path.getsize(path) / 1e6),
                    max_memory_mb=round(limit / 1e6), parts=int(parts.group(1)) if parts else 0,
                    seconds=round(seconds, 2), rss_mb=round(rss / 1e6, 1),
                    allowed_mb=round(allowed / 1e6, 1) if allowed else None,
                    ok=code == 0 and (not allowed or rss <= allowed))
        return out


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tool", default="build/release/bin/t2t-vocab")
    p.add_argument("--dir", help="for the texts [a fresh one, removed]")
    p.add_argument("--mb", type=int, default=1100, help="size of `rare`")
    p.add_argument("--only", default="", help="runs on this text")
    p.add_argument("--more", nargs="*", default=[], help="further texts to build from")
    p.add_argument("--text", help="write this text to stdout, nothing else")
    p.add_argument("--keep", action="store_true", help="keep the texts in --dir")
    args = p.parse_args()
    if args.text:
        make(args.text, sys.stdout, args.mb)
        return 0
    folder = args.dir or tempfile.mkdtemp(prefix="bench_memory_vocab.")
    os.makedirs(folder, exist_ok=True)
    runs = Runs(args, folder)
    texts = [t for t in ("distinct605k", "long", "digits", "cjk", "repetitive") if args.only in t]
    for kind in texts:
        for threads in (1, 2):
            runs.build(kind, [runs.text(kind)], threads, 1e9 if kind == "distinct605k" else None)
    for path in args.more:
        runs.build(os.path.basename(path), [path], 1)
    if args.only in "rare":
        path = runs.text("rare")
        outs = [runs.count("rare", path, t, m) for t, m in ((1, 0), (1, 64 << 20), (2, 64 << 20), (2, 256 << 20), (2, 8 << 20))]
        for other in outs[1:]:
            if subprocess.run(["cmp", outs[0], other]).returncode != 0:
                runs.bad += 1
    if not args.keep and not args.dir:
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))
        os.rmdir(folder)
    return 1 if runs.bad else 0


if __name__ == "__main__":
    sys.exit(main())
