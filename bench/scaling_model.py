#!/usr/bin/env python3
"""Bytes and seconds of a training step on 1 to 1,024 ranks, from point-to-point rates (docs/scaling.md).

  bench/scaling_model.py                            measures the rates here, prints the tables
  bench/scaling_model.py --check                    predicts the exchange on 1, 2, 4 ranks of this machine, and measures it,
                                                    in pairs: the rates change with what else the machine does
  bench/scaling_model.py --rates=pair=4e9,...       rates from elsewhere: pair, message, add

Rates are those of bench/bench_exchange.c between two ranks over TCP (--check: over shared memory).  One rank a machine;
--overlap: the exchange runs beside the backward pass, as far as it can.  Standard library only.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

BUCKET_BYTES = 4 * (1 << 22)  # at most, of float32 gradients, train/dist/tree_sum.c
RANKS = [1 << k for k in range(11)]


def transformer(layers, width, filter_size, vocab):
    """Variables of Tensor2Tensor's model with one table for both sides and the softmax."""
    norm = 2 * width
    feed = 2 * width * filter_size + filter_size + width
    attention = 4 * width * width
    return vocab * width + layers * (attention + feed + 2 * norm) + layers * (2 * attention + feed + 3 * norm) + 2 * norm


# name -> variables; seconds that one machine of two cores takes for the batch of a rank (bench/results, 2026-11-22: 585
# target ids/s of transformer_base, 10.1 images/s of ResNet-50; big by its variables)
BASE, BIG = transformer(6, 512, 2048, 33708), transformer(6, 1024, 4096, 33708)
MODELS = {"transformer_base": (BASE, 4096 / 585.0, "4,096 ids"), "transformer_big": (BIG, 4096 / 585.0 * BIG / BASE, "4,096 ids"),
          "resnet_50": (25557032, 32 / 10.1, "32 images")}


def bench(ranks, floats, tcp):
    here = os.path.dirname(os.path.abspath(__file__))
    program = os.path.join(os.environ.get("BIN", os.path.join(here, "../build/release")), "bench/bench_exchange")
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    launch = ["mpirun", "--oversubscribe", "--bind-to", "none"] + (["--mca", "btl", "self,tcp"] if tcp else [])
    out = subprocess.run(launch + ["-n", str(ranks), program, "--floats=%d" % floats, "--repeats=21"], env=env,
                         check=True, stdout=subprocess.PIPE).stdout
    return json.loads(out)


def rates_of(measured):
    return {"pair": measured["pair_bytes_per_s"], "message": measured["message_s"], "add": measured["add_bytes_per_s"]}


def buckets_of(grad_bytes, dtype_bytes):
    return max(1, -(-grad_bytes // (BUCKET_BYTES * dtype_bytes // 4)))


def moved_bytes(floats, ranks, dtype_bytes=4):
    """From each rank, and as many to it."""
    return 2 * (ranks - 1) * floats * dtype_bytes / ranks


def addition(floats, rates):
    """Of a rank: its piece of all vectors is read and added up, in place."""
    return 4 * floats / rates["add"]


def exchange_seconds(floats, ranks, rates, dtype_bytes=4):
    """One rank a machine: both directions of a link at once, each with half of the pair's rate; while one bucket is
    added up the next is on its way."""
    if ranks == 1:
        return 0.0
    buckets = buckets_of(floats * dtype_bytes, dtype_bytes)
    wire = moved_bytes(floats, ranks, dtype_bytes) / (rates["pair"] / 2)
    wire += 2 * buckets * 2 * (ranks - 1) * rates["message"]
    add = addition(floats, rates)
    return max(wire, add) + min(wire, add) / buckets


def step_seconds(compute, floats, ranks, rates, dtype_bytes=4, overlap=False):
    """With overlap all but the last bucket may leave in the backward pass, two thirds of the computing."""
    exchange = exchange_seconds(floats, ranks, rates, dtype_bytes)
    hidden = exchange * (1 - 1 / buckets_of(floats * dtype_bytes, dtype_bytes)) if overlap else 0.0
    return compute + exchange - min(hidden, 2 * compute / 3)


def one_host_seconds(floats, ranks, rates, cores):
    """All ranks on one machine: every byte is copied by its cores, and nothing is beside anything."""
    if ranks == 1:
        return 0.0
    work = ranks * addition(floats, rates) / min(cores, ranks)
    return ranks * moved_bytes(floats, ranks) / rates["pair"] + work


def pair_of(ranks, floats, cores):
    """Seconds of an exchange, predicted by the rates right before and behind it, and measured."""
    before, found, after = (bench(n, floats, False) for n in (2, ranks, 2))
    rates = {k: statistics.fmean((v, rates_of(after)[k])) for k, v in rates_of(before).items()}
    rates["add"] = statistics.fmean(x["all_add_bytes_per_s"] for x in (before, after))  # at once, on one memory
    return one_host_seconds(floats, ranks, rates, cores), found["value"]


def check(args):
    cores = len(os.sched_getaffinity(0))
    first = bench(2, BASE, False)
    print("%d cores, load %.1f; pair %.2f GB/s, %.0f %% of the copy rate" %
          (cores, os.getloadavg()[0], first["pair_bytes_per_s"] / 1e9, 100 * first["pair_bytes_per_s"] / first["copy_bytes_per_s"]))
    print("%-17s %5s %10s %10s %7s" % ("gradients of", "ranks", "predicted", "measured", "ratio"))
    for name, (floats, _, _) in MODELS.items():
        if name == "transformer_big" and not args.big:
            continue
        print("%-17s %5d %8.0f ms %8.0f ms %7s" % (name, 1, 0, 0, "-"))  # its gradients are the sum already
        for ranks in (2, 4):
            pairs = [pair_of(ranks, floats, cores) for _ in range(args.pairs)]
            ratios = sorted(p / m for p, m in pairs)
            print("%-17s %5d %8.0f ms %8.0f ms %7.2f (%s)" % (name, ranks, *(1e3 * statistics.median(x) for x in zip(*pairs)),
                                                          statistics.median(ratios), " ".join("%.2f" % x for x in ratios)), flush=True)


def tables(args, rates):
    dtype_bytes = 2 if args.dtype == "bfloat16" else 4
    print("pair %.3g B/s, message %.3g s, add %.3g B/s; gradients as %s%s" %
          (rates["pair"], rates["message"], rates["add"], args.dtype, "; overlap" if args.overlap else ""))
    for name, (floats, compute, batch) in MODELS.items():
        compute /= args.faster
        print("\n%s: %d floats, %s a rank, %.3f s alone" % (name, floats, batch, compute))
        print("%6s %12s %12s %10s %11s" % ("ranks", "MB a rank", "exchange s", "step s", "efficiency"))
        for ranks in RANKS:
            step = step_seconds(compute, floats, ranks, rates, dtype_bytes, args.overlap)
            print("%6d %12.1f %12.3f %10.3f %10.1f%%" % (ranks, moved_bytes(floats, ranks, dtype_bytes) / 1e6,
                                                        exchange_seconds(floats, ranks, rates, dtype_bytes), step,
                                                        100 * compute / step))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--check", action="store_true", help="hold predictions on 1, 2, 4 ranks of this machine against measurement")
    p.add_argument("--big", action="store_true", help="with --check: also the gradients of transformer_big")
    p.add_argument("--pairs", type=int, default=3, help="of --check, for each value; their median counts")
    p.add_argument("--rates", help="pair=BYTES_PER_S,message=S,add=BYTES_PER_S; default: measured here")
    p.add_argument("--dtype", choices=["float32", "bfloat16"], default="float32", help="of what travels")
    p.add_argument("--overlap", action="store_true", help="the exchange runs beside the backward pass")
    p.add_argument("--faster", type=float, default=1, help="machines that compute so many times as fast")
    args = p.parse_args()
    if args.check:
        return check(args)
    if args.rates:
        rates = {k: float(v) for k, v in (item.split("=") for item in args.rates.split(","))}
        if sorted(rates) != ["add", "message", "pair"]:
            sys.exit("scaling_model.py: --rates wants pair, message and add")
    else:
        rates = rates_of(bench(2, 1 << 24, True))
    return tables(args, rates)


if __name__ == "__main__":
    sys.exit(main())
