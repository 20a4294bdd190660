#!/usr/bin/env python3
"""Bytes of device memory that each CUDA kernel of a training step moves, over the least possible: a table in Markdown.

  make CUDA=host build/cuda-host/bench/bench_step && cuda_traffic.py [--size small128] [--batch 2] [--length 64]
                                                                     [--precision bfloat16] >bench/results/DATE-cuda-traffic.md

Counted on the emulated device (tests/support/cuda_on_host/traffic.cpp), so without a GPU and in minutes: four bytes count once a block
("moved": what blocks ask the caches and the memory behind them for) and once a launch ("least").  What two blocks both need, a row of a
table, say, is what lies between the two.  "a copy", "a fill" and "of a library" (products, convolutions) are seen by their stand-ins.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--size", default="small128")
    p.add_argument("--batch", type=int, default=2)
    p.add_argument("--length", type=int, default=64)
    p.add_argument("--precision", default="bfloat16")
    p.add_argument("--build", default=os.path.join(ROOT, "build", "cuda-host"))
    args = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lines = os.path.join(folder, "traffic")
        command = [os.path.join(args.build, "bench", "bench_step"), "--device=cuda", "--precision=" + args.precision, "--size=" + args.size,
                   "--batch=%d" % args.batch, "--length=%d" % args.length, "--steps=1", "--warm=0"]
        run = subprocess.run(command, env={**os.environ, "T2_CUDA_TRAFFIC": lines}, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(run.stderr)
        with open(lines, encoding="utf-8") as f:
            kernels = [json.loads(line) for line in f]
    print("# Kernels of the device cuda: bytes moved over the least possible\n")
    print("`bench/cuda_traffic.py`: one training step of %s, %d x %d ids, %s, on the emulated\n"
          "device; memory is filled and parameters are copied before it. Moved: four bytes once a block; least:\n"
          "once a launch.\n" % (args.size, args.batch, args.length, args.precision))
    print("| kernel | launches | read KB | written KB | moved over least |\n|---|---:|---:|---:|---:|")
    sums = [0, 0]
    for k in sorted(kernels, key=lambda k: -k["moved_read"] - k["moved_written"]):
        moved, least = k["moved_read"] + k["moved_written"], k["least_read"] + k["least_written"]
        if least == 0:
            continue
        sums = [sums[0] + moved, sums[1] + least]
        print("| %s | %d | %.1f | %.1f | %.2f |" % (k["kernel"], k["launches"], k["moved_read"] / 1e3, k["moved_written"] / 1e3, moved / least))
    print("| all | | | | %.2f |" % (sums[0] / sums[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
