#!/usr/bin/env python3
"""One Transformer training step (forward, backward, Adam): target tokens per second, ours and the peers of peer_train.py.

  make bench-step [PEERS=DIR]      or: python3 bench/bench_step.py [--quick] [--cores 1,2] [--sizes base] [--peer keras,t2t] [--only TEXT]

Made-up ids, 32 sentences of 32 ids on both sides (small256: 64 of 32; gpt2: 4 of 64, one side, no dropout), dropout 0.1, label
smoothing 0.1.  Sizes are those of peer_train.py: base 512/2048/8 heads/6+6/32768, small256 256/1024/4/4+4/8192, small128
128/512/4/2+2/8192, gpt2 768/3072/12/12/50257 (ReLU where the peer has GELU).  Goals are those against the strongest peer.

"start" is the time from calling t2t-trainer to the begin of the first step of transformer_base on 20 000 pairs (made up), as
starts per second: the report of the first step less the time of the second. A second start finds its files in the page cache.
"""
import json
import os
import random
import subprocess
import sys
import time

import common

# (environment, module, further flags of peer_train.py, what it can do)
EVERY = ("base", "small256", "small128")
PEERS = {"torch": ("torch", "torch", [], EVERY + ("gpt2",)), "torch-compiled": ("torch", "torch", ["--compile"], EVERY + ("gpt2",)),
         "keras": ("tf2", "tensorflow", ["--compile"], EVERY), "t2t": ("tf1", "tensor2tensor", [], EVERY),
         "official": ("tfm", "official", [], EVERY)}
ONLY_FP32 = ("t2t", "official")
SIZES = {"base": (32, 32), "small256": (64, 32), "small128": (32, 32), "gpt2": (4, 64)}
DTYPES = {"fp32": "float32", "bf16": "bfloat16"}
# id without cores -> goal on two cores, on one core
GOALS = {"base.fp32": (1.3, 1.2), "base.bf16": (1.7, None), "small256.fp32": (1.65, None), "small256.bf16": (2.2, None),
         "small128.fp32": (2.0, None), "small128.bf16": (2.5, None), "gpt2.fp32": (1.5, None), "gpt2.bf16": (1.8, None)}
IDENTITY = ("same shapes, batch and optimizer; our model equals Tensor2Tensor's logits, gradients and steps in "
            "tests/oracle/test_recorded_transformer.c")


def step(bench, args, size, dtype, cores, steps):
    batch, length = SIZES[size]
    name = "%s.%s" % (size, dtype)
    shape = ["--batch=%d" % batch, "--length=%d" % length] + (["--dropout=0"] if size == "gpt2" else [])
    peers = {}
    for peer in [p.strip() for p in args.peer.split(",")]:
        environment, module, flags, sizes = PEERS[peer]
        if size not in sizes or (dtype == "bf16" and peer in ONLY_FP32) or not bench.has(environment, module):
            continue
        model = ["--model", "gpt2"] if size == "gpt2" else ["--size", size]
        peers[peer] = (bench.peer_script(environment, "peer_train.py", "--peer", peer.split("-")[0], *model, "--dtype", dtype,
                                         "--threads", cores, "--steps", steps, *(shape + flags)), IDENTITY)
    bench.figure("step.%s.%d" % (name, cores), "Transformer %s training step, %d x %d ids, %s" % (size, batch, length, DTYPES[dtype]),
                 "target tok/s",
                 ours=bench.program("bench_step", "--size=" + size, "--steps=%d" % steps, "--num_threads=%d" % cores,
                                    "--precision=" + DTYPES[dtype], *shape),
                 peers=peers, goal=GOALS[name][cores == 1] if cores <= 2 else None,
                 ceiling="fp32" if dtype == "fp32" else "fp32,bf16")


def write_pairs(path, n):
    r = random.Random(7)
    with open(path, "w", encoding="utf-8") as f:
        for _ in range(n):
            a, b = (" ".join("w%d" % int(32000 * r.random() ** 3) for _ in range(r.randint(3, 48))) for _ in range(2))
            f.write(a + "\t" + b + "\n")


def start_data(bench):
    """20 000 pairs and 32 003 words."""
    data = bench.temporary("start-data")
    if os.path.isdir(data):
        return data
    for name, n in (("train", 20000), ("dev", 100)):
        write_pairs(bench.temporary(name + ".tsv"), n)
    with open(bench.temporary("words"), "w", encoding="utf-8") as f:
        f.write("\n".join(["<pad>", "<EOS>", "<UNK>"] + ["w%d" % i for i in range(32000)]) + "\n")
    subprocess.run([bench.ours("t2t-datagen"), "--quiet", "--name=pairs", "--train=" + bench.temporary("train.tsv"),
                    "--dev=" + bench.temporary("dev.tsv"), "--vocab=" + bench.temporary("words"), "--oov_token=<UNK>",
                    "--data_dir=" + data, "--num_shards=4"], check=True, stdout=subprocess.DEVNULL)
    return data


def start(bench, cores):
    """One over the seconds from the call to the report of the first step, without the time of a step: that of the second."""
    command = [bench.ours("t2t-trainer"), "--quiet", "--json", "--problem=pairs", "--data_dir=" + start_data(bench),
               "--output_dir=" + bench.temporary("start-run"), "--hparams_set=transformer_base", "--hparams=batch_size=64,max_length=64",
               "--schedule=train", "--train_steps=100000", "--log_step_count_steps=1", "--local_eval_frequency=100000",
               "--num_threads=%d" % cores]
    began = time.perf_counter()
    p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    reports = []
    try:
        for line in p.stdout:
            if json.loads(line).get("kind") == "train":
                reports.append(time.perf_counter())
            if len(reports) == 2:
                return 1 / (2 * reports[0] - reports[1] - began)
    finally:
        p.kill()
        p.wait()
        p.stdout.close()
    raise common.Refused("t2t-trainer ended before its second step")


def main():
    args = common.arguments("step", __doc__, extra=lambda p: (
        p.add_argument("--steps", type=int, default=6, help="timed steps of a run [6]"),
        p.add_argument("--peer", default=",".join(PEERS), help="comma list of %s [all]" % ", ".join(PEERS)),
        p.add_argument("--cores", default="2,1", help="comma list: threads of both sides [2,1]"),
        p.add_argument("--dtypes", default=",".join(DTYPES), help="comma list [all]"),
        p.add_argument("--sizes", default=",".join(SIZES) + ",start", help="comma list [all]")))
    bench = common.Bench("step", args)
    steps = 3 if args.quick else args.steps
    for cores in [int(c) for c in args.cores.split(",")]:
        args.threads = cores
        common.pin(cores)
        for size in args.sizes.split(","):
            if size == "start":
                bench.figure("step.start.%d" % cores, "start of transformer_base to its first step", "1/s",
                             ours=lambda n=cores: start(bench, n), goal=1, ceiling="fp32")
                continue
            for dtype in args.dtypes.split(","):
                step(bench, args, size, dtype, cores, steps)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
