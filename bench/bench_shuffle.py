#!/usr/bin/env python3
"""tfrec shuffle of a file of four times --max_memory, against copying that file twice.

  python3 bench/bench_shuffle.py [--tfrec PATH] [--mb 400] [--runs 5] [--dir DIR]

Both in one run, alternating, in a folder whose files stay in memory (/dev/shm), because shuffle waits
until its output is on the disk and cp does not.  The output is checked: the same records (diff --set).
Prints one JSON object with the medians and ratio = time of two copies / time of the shuffle; the aim is
0.5 or more.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def make_input(tfrec, path, mb):
    """About mb MB of records of 150 B with their number in them."""
    rows = subprocess.Popen([tfrec, "convert", "--quiet", "--from=jsonl", "--to=tfrecord", "-o", path + ".part", "-"],
                            stdin=subprocess.PIPE, text=True)
    for i in range(50000):
        ids = ",".join(str((i * 7919 + k * 104729) % 30000) for k in range(40))
        rows.stdin.write('{"inputs":[%s],"id":[%d]}\n' % (ids, i))
    rows.stdin.close()
    if rows.wait() != 0:
        sys.exit("convert failed")
    with open(path + ".part", "rb") as f:
        part = f.read()
    with open(path, "wb") as f:
        for _ in range(max(1, mb * 1000000 // len(part))):
            f.write(part)
    os.remove(path + ".part")


def seconds(command):
    start = time.monotonic()
    subprocess.run(command, check=True)
    return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tfrec", default="build/release/bin/tfrec")
    parser.add_argument("--mb", type=int, default=400)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--dir", default="/dev/shm" if os.path.isdir("/dev/shm") else None)
    args = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="bench_shuffle.", dir=args.dir)
    try:
        a, b, c, out = (os.path.join(folder, n) for n in "abcx")
        make_input(args.tfrec, a, args.mb)
        size = os.path.getsize(a)
        shuffle = [args.tfrec, "shuffle", "--quiet", "--seed=1", "--max_memory=%d" % (size // 4), "-o", out, a]
        times = {"shuffle": [], "copy_twice": []}
        for _ in range(args.runs):
            times["copy_twice"].append(seconds(["cp", a, b]) + seconds(["cp", b, c]))
            os.remove(b)
            os.remove(c)
            if os.path.exists(out): # replacing it would give its pages back within the time
                os.remove(out)
            times["shuffle"].append(seconds(shuffle))
        subprocess.run([args.tfrec, "diff", "--set", a, out], check=True, stdout=subprocess.DEVNULL)
        medians = {k: statistics.median(v) for k, v in times.items()}
        print(json.dumps({"bench": "shuffle", "bytes": size, "max_memory": size // 4, "runs": args.runs,
                          "shuffle_s": round(medians["shuffle"], 4), "copy_twice_s": round(medians["copy_twice"], 4),
                          "ratio": round(medians["copy_twice"] / medians["shuffle"], 3)}))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
