#!/usr/bin/env python3
"""Data preparation from text files to shuffled shards, ours and the originals of peer_datagen.py.

  make bench-datagen [PEERS=DIR]      or: python3 bench/bench_datagen.py [--quick] [--only TEXT] [--grown PAIRS]

multi30k   29,000 real pairs, vocabulary included, one thread; inputs gzip, as they are
grown      4,500,000 pairs of bench/grow_text.py (copied to memory first by reading them once): vocabulary, encode,
           shards, shuffle, write on two threads; as plain text and as gzip, and with --max_memory=512M

The bytes are compared elsewhere (tests/oracle/test_datagen_runs.c); here the number of records is.
"""
import glob
import os
import shutil
import subprocess
import sys
import time

import common

GROWN_PAIRS = 4500000
GOAL_SECONDS = 30


def flags(p):
    p.add_argument("--grown", type=int, default=GROWN_PAIRS, metavar="PAIRS", help="[%(default)s]")


def datagen(bench, train, dev, n, threads, *more):
    """A call that makes the data set anew: pairs/s, and the number of records."""
    def call():
        out = bench.temporary("out")
        shutil.rmtree(out, ignore_errors=True)
        for path in train:
            with open(path, "rb") as f:
                while f.read(1 << 20):
                    pass
        start = time.perf_counter()
        report = bench.run([bench.ours("t2t-datagen"), "--quiet", "--json", "--name=bench", "--train=" + ",".join(train),
                            "--dev=" + ",".join(dev), "--data_dir=" + out, "--num_threads=%d" % threads] + list(more),
                           timeout_s=1800)
        seconds = time.perf_counter() - start
        if report["train_records"] != n:
            raise common.Refused("%d records of %d pairs" % (report["train_records"], n))
        return n / seconds, None
    return call


def multi30k(bench, args):
    folder = os.path.join(args.data, "multi30k-en-de")
    train = [os.path.join(folder, "train.%s.gz" % x) for x in ("en", "de")]
    dev = [os.path.join(folder, "val.%s.gz" % x) for x in ("en", "de")]
    if not all(os.path.exists(p) for p in train + dev):
        print("bench: no Multi30k in '%s'" % args.data, file=sys.stderr)
        return
    peers = {}
    for name, environment, module in (("t2t", "tf1", "tensor2tensor"), ("official", "tfm", "official")):
        if bench.has(environment, module):
            peers[name] = (bench.peer_script(environment, "peer_datagen.py", "--peer", name, "--source", train[0],
                                             "--target", train[1], "--pairs", "29000"), "29000 records")
    bench.figure("datagen.multi30k", "29,000 pairs to a vocabulary and 10 shuffled shards", "pairs/s",
                 datagen(bench, train, dev, 29000, 1, "--num_shards=10"), peers, goal={"t2t": 90, "official": 20})


def grown(bench, args):
    prefix = bench.temporary("grown-%d" % args.grown)
    text = [prefix + ".en", prefix + ".de"]
    if not all(os.path.exists(p) for p in text):
        made = subprocess.run([sys.executable, os.path.join(common.HERE, "grow_text.py"), "--pairs", str(args.grown),
                               "--out", prefix], env=dict(os.environ, T2_DATA=args.data))
        if made.returncode != 0:
            return
    dev = [bench.temporary("dev." + x) for x in ("en", "de")]
    for path, short in zip(text, dev):
        with open(path, "rb") as f, open(short, "wb") as g:
            g.writelines(next(f) for _ in range(min(3000, args.grown)))
    goal = {"the goal": 1}
    rate = {"the goal": (lambda: GROWN_PAIRS / GOAL_SECONDS, None)}
    common.pin(2)
    bench.figure("datagen.grown", "vocabulary, ids, 100 shuffled shards of grown text, two threads", "pairs/s",
                 datagen(bench, text, dev, args.grown, 2), rate, goal=goal, ceiling="memcpy")
    bench.figure("datagen.grown.512M", "the same with --max_memory=512M", "pairs/s",
                 datagen(bench, text, dev, args.grown, 2, "--max_memory=512M"), rate, goal=goal, ceiling="memcpy")
    if args.only in "datagen.grown.gzip":
        packed = [p + ".gz" for p in text]
        for path, gz in zip(text, packed):
            if not os.path.exists(gz):
                with open(gz, "wb") as f:
                    subprocess.run(["gzip", "-6", "-c", path], stdout=f, check=True)
        bench.figure("datagen.grown.gzip", "the same from gzip, which is inflated once", "pairs/s",
                     datagen(bench, packed, dev, args.grown, 2), rate, goal=goal, ceiling="memcpy")
    common.pin(args.threads)


def main():
    args = common.arguments("datagen", __doc__, flags)
    bench = common.Bench("datagen", args)
    multi30k(bench, args)
    grown(bench, args)
    for path in glob.glob(bench.temporary("out*")):
        shutil.rmtree(path, ignore_errors=True)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
