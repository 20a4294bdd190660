#!/usr/bin/env python3
"""Text to vocabulary and shards as data_download of the official Transformer, against that program.

  python3 bench/bench_official_datagen.py [--large 400000] [--threads 2]

Multi30k (29,000 pairs, vocabulary included; goal 20 times the original), and the same text repeated.  Both read two
plain text files and write 10 shuffled shards; the vocabulary is counted over all of the text.  Ours is timed from
outside, start of the process and fsync included.  The original, measured elsewhere on one core: 5,850 pairs/s.
"""
import gzip
import json
import os
import shutil
import subprocess
import sys
import time

import common


def write(bench, side, pairs, source):
    """The file's lines, again and again until there are `pairs` of them."""
    path = bench.temporary("%d.%s" % (pairs, side))
    with gzip.open(source, "rb") as f:
        lines = f.read().rstrip(b"\n").split(b"\n")
    with open(path, "wb") as f:
        for i in range(pairs):
            f.write(lines[i % len(lines)] + b"\n")
    return path


def ours(bench, pairs, files):
    tool, out = bench.ours("t2t-datagen"), bench.temporary("out")

    def call():
        shutil.rmtree(out, ignore_errors=True)
        command = [tool, "--layout=official", "--name=bench", "--train=" + ",".join(files), "--train_shards=10", "--quiet", "--json",
                   "--file_byte_budget=100000000", "--raw_dir=" + out, "--data_dir=" + out, "--num_threads=%d" % bench.args.threads]
        start = time.monotonic()
        p = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        seconds = time.monotonic() - start
        if json.loads(p.stdout)["train_records"] != pairs:
            raise common.Refused("not all pairs became records")
        return pairs / seconds
    return call


def main():
    args = common.arguments("official_datagen", __doc__, lambda p: p.add_argument(
        "--large", type=int, default=400000, metavar="N", help="pairs of the larger text; 0: leave it out [400000]"))
    bench = common.Bench("official_datagen", args)
    folder = os.path.join(args.data, "multi30k-en-de")
    if not os.path.isdir(folder):
        sys.exit("bench: error: no multi30k-en-de in '%s'" % args.data)
    for name, pairs in (("multi30k", 29000), ("large", 2000 if args.quick else args.large)):
        if pairs == 0:
            continue
        sources = [os.path.join(folder, "train.%s.gz" % side) for side in ("en", "de")]
        files = [write(bench, side, pairs, source) for side, source in zip(("en", "de"), sources)]
        peer = None
        if bench.has("tfm", "official"):
            peer = bench.peer_script("tfm", "peer_datagen.py", "--peer", "official", "--source", sources[0], "--target", sources[1],
                                     "--pairs", pairs)
        bench.figure("official_datagen." + name, "%d pairs of text to vocabulary and 10 shuffled shards" % pairs, "pairs/s",
                     ours(bench, pairs, files), {"official": (peer, "same pairs; bytes: tests/e2e/reference_runs_official_data.sh")},
                     goal=20 if name == "multi30k" else None)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
