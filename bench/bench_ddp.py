#!/usr/bin/env python3
"""Two ranks of one thread beside PyTorch's DistributedDataParallel over gloo on the same two cores, in alternating pairs: a whole
step of transformer_base, and the exchange of as many gradients alone.

  bench/bench_ddp.py --python=PYTHON_WITH_TORCH [--pairs 5] [--steps 5] [--length 32] [--rows 32]

Ours is t2t-trainer with batch_size = rows * length on sentences that all have that length, of random words of
translate_ende_numbers' vocabulary; PyTorch's model has the same sizes, vocabulary and rows, Adam, label smoothing and dropout,
and buckets of DDP's own size.  The exchange is bench/bench_exchange, and all_reduce of the same floats in buckets of 25 MiB, all of
which are on their way at once.  A line of JSON for each figure: medians, the median of the pairs' ratios, and their least
and greatest."""
import argparse
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BIN = os.environ.get("BIN", os.path.join(ROOT, "build/release"))
BUCKET = 25 << 18  # floats of 25 MiB
WIDTH, FILTER, HEADS, LAYERS = 512, 2048, 8, 6


# ---- PyTorch: one of two processes ----

def torch_step(o, vocab):
    import torch
    import torch.nn.functional as F
    from torch import nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(vocab, WIDTH)
            self.net = nn.Transformer(WIDTH, HEADS, LAYERS, LAYERS, FILTER, 0.1, batch_first=True)
            self.mask = nn.Transformer.generate_square_subsequent_mask(o.length)

        def forward(self, x, y):
            x, y = (F.dropout(self.embed(ids) * math.sqrt(WIDTH), 0.1) for ids in (x, y))
            return self.net(x, y, tgt_mask=self.mask) @ self.embed.weight.t()

    model = nn.parallel.DistributedDataParallel(Model())
    adam = torch.optim.Adam(model.parameters(), 1e-4, betas=(0.9, 0.98), eps=1e-9)
    x, y = torch.randint(0, vocab, (o.rows, o.length)), torch.randint(0, vocab, (o.rows, o.length + 1))

    def step():
        adam.zero_grad(set_to_none=True)
        F.cross_entropy(model(x, y[:, :-1]).reshape(-1, vocab), y[:, 1:].reshape(-1), label_smoothing=0.1).backward()
        adam.step()
    return step


def torch_sum(o):
    import torch
    import torch.distributed as dist
    x = torch.ones(o.floats)

    def step():
        for work in [dist.all_reduce(part, async_op=True) for part in x.split(BUCKET)]:
            work.wait()
    return step


def worker(o):
    import torch
    import torch.distributed as dist
    torch.set_num_threads(1)
    torch.manual_seed(0)
    dist.init_process_group("gloo")
    step = torch_step(o, o.vocab) if o.worker == "step" else torch_sum(o)
    times = []
    for i in range(o.steps + 2):
        dist.barrier()
        begin = time.perf_counter()
        step()
        dist.barrier()
        if i >= 2:
            times.append(time.perf_counter() - begin)
    if dist.get_rank() == 0:
        print(json.dumps({"seconds": statistics.median(times), "torch": torch.__version__}))
    dist.destroy_process_group()


def theirs(o, what, **more):
    env = dict(os.environ, MASTER_ADDR="127.0.0.1", MASTER_PORT=str(20000 + os.getpid() % 20000), WORLD_SIZE="2", OMP_NUM_THREADS="1",
               GLOO_SOCKET_IFNAME="lo")
    args = [o.python, os.path.abspath(__file__), "--worker=" + what, "--steps=%d" % o.steps, "--length=%d" % o.length, "--rows=%d" % o.rows]
    args += ["--%s=%d" % x for x in more.items()]
    ranks = [subprocess.Popen(args, env=dict(env, RANK=str(r)), stdout=subprocess.PIPE, text=True) for r in range(2)]
    said = [p.communicate()[0] for p in ranks]
    if any(p.returncode for p in ranks):
        sys.exit("PyTorch failed")
    return json.loads(said[0])["seconds"]


# ---- ours ----

def launch():
    return ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "2"]


def mpi_env():
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def our_rate(o, work):
    """Target ids a second."""
    out = os.path.join(work, "run")
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run(launch() + [os.path.join(BIN, "bin/t2t-trainer"), "--problem=translate_ende_numbers", "--data_dir=" + work, "--output_dir=" + out,
                               "--hparams_set=transformer_base", "--hparams=max_length=%d,batch_size=%d" % (2 * o.length, o.rows * o.length),
                               "--num_threads=1", "--train_steps=%d" % (o.steps + 2), "--log_step_count_steps=1", "--eval_steps=0"],
                   check=True, env=mpi_env(), stderr=subprocess.DEVNULL)
    with open(os.path.join(out, "metrics.jsonl"), encoding="utf-8") as f:
        lines = [x for x in map(json.loads, f) if x["kind"] == "train" and x["step"] > 2]
    return statistics.median(x["target_tokens_per_s"] for x in lines)


def our_sum(o, floats):
    said = subprocess.run(launch() + [os.path.join(BIN, "bench/bench_exchange"), "--floats=%d" % floats, "--repeats=%d" % o.steps],
                          check=True, env=mpi_env(), stdout=subprocess.PIPE, text=True).stdout
    return json.loads(said)["value"]


def full_rows(o, work, vocab):
    """Replaces the training shards (and what says that they are the original ones) by rows that are full, so that both sides compute the same positions."""
    for name in os.listdir(work):
        if "-train-" in name or name.endswith(".manifest.json"):
            os.unlink(os.path.join(work, name))
    draw, first, end = random.Random(1), 2, 1 # ids 0 and 1 are padding and the end
    rows = os.path.join(work, "rows.jsonl")
    with open(rows, "w", encoding="ascii") as f:
        for _ in range(8 * o.rows * (o.steps + 2)):
            f.write(json.dumps({side: [draw.randrange(first, vocab) for _ in range(o.length - 1)] + [end] for side in ("inputs", "targets")}) + "\n")
    subprocess.run([os.path.join(BIN, "bin/tfrec"), "convert", "--quiet", "--to=tfrecord", "-o",
                    os.path.join(work, "translate_ende_numbers-train-00000-of-00001"), rows], check=True)


def variables(vocab):
    norm, feed, attention = 2 * WIDTH, 2 * WIDTH * FILTER + FILTER + WIDTH, 4 * WIDTH * WIDTH
    return vocab * WIDTH + LAYERS * (3 * attention + 2 * feed + 5 * norm) + 2 * norm


def say(figure, pairs, unit, inverse):
    ratios = [b / a if inverse else a / b for a, b in pairs]
    print(json.dumps({"figure": figure, "value": round(statistics.median(a for a, _ in pairs), 4),
                      "other": round(statistics.median(b for _, b in pairs), 4), "unit": unit, "ratio": round(statistics.median(ratios), 3),
                      "spread": [round(min(ratios), 3), round(max(ratios), 3)], "pairs": len(pairs), "load": os.getloadavg()[0]}), flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--python")
    p.add_argument("--figure", choices=["both", "exchange", "step"], default="both")
    p.add_argument("--worker", choices=["step", "sum"], help=argparse.SUPPRESS)
    for name, value in (("pairs", 5), ("steps", 5), ("length", 32), ("rows", 32), ("vocab", 0), ("floats", 0)):
        p.add_argument("--" + name, type=int, default=value)
    o = p.parse_args()
    if o.worker:
        worker(o)
        return
    if not o.python:
        p.error("--python is missing")
    work = tempfile.mkdtemp()
    try:
        subprocess.run([os.path.join(BIN, "bin/t2t-datagen"), "--quiet", "--problem=translate_ende_numbers", "--max_cases=20000",
                        "--data_dir=" + work, "--tmp_dir=" + work], check=True, stderr=subprocess.DEVNULL)
        with open(os.path.join(work, next(x for x in os.listdir(work) if x.startswith("vocab."))), encoding="utf-8") as f:
            vocab = sum(1 for _ in f)
        if o.figure != "step":
            pairs = [(our_sum(o, variables(vocab)), theirs(o, "sum", floats=variables(vocab))) for _ in range(o.pairs)]
            say("exchange of %d gradients / gloo" % variables(vocab), pairs, "s", True)
        if o.figure != "exchange":
            full_rows(o, work, vocab)
            ids = 2 * o.rows * o.length
            pairs = [(our_rate(o, work), ids / theirs(o, "step", vocab=vocab)) for _ in range(o.pairs)]
            say("transformer_base, %d ids a rank / DDP" % (o.rows * o.length), pairs, "target ids/s", False)
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
