#!/usr/bin/env python3
"""Training steps of image nets: images per second, ours and the peers of peer_train.py; convolutions shape by shape.

  make bench-cnn [PEERS=DIR]      or: python3 bench/bench_cnn.py [--quick] [--cores 2] [--nets resnet50] [--dtypes fp32] [--only TEXT]

Made-up images: ResNet-50 at 224 (batch 16), the shape of the short CIFAR-10 record nets (batch 512); forward, backward, momentum.  "layers" has no peer: GFLOP/s of the three passes of each net's convolutions, the sum of
them in the order of use, beside the machine's multiply-add peak in the same run (its figure counts a convolution's own
multiply-adds; Winograd's way needs a quarter of them for its tiles, so it may lie above the peak).

torch's ResNet-50 is torchvision's: the environment torch needs it (and pillow); without it there is no ratio to torch.
"""
import sys

import common

# (environment, module, further flags of peer_train.py)
PEERS = {"torch": ("torch", "torch", []), "torch-compiled": ("torch", "torch", ["--compile"]), "keras": ("tf2", "tensorflow", [])}
# net -> (the peers' name, batch, who has it)
NETS = {"resnet50": ("resnet50", 16, ("torch", "torch-compiled", "keras")),
        "record_net": ("speedrun-cifar", 512, ("torch", "torch-compiled"))}
DTYPES = {"fp32": "float32", "bf16": "bfloat16"}
GOALS = {"resnet50.fp32": 1.35, "resnet50.bf16": 1.4, "record_net.fp32": 1.2, "record_net.bf16": 1.2}
IDENTITY = ("same shapes, batch and optimizer; every operator is compared with plain loops and differences of the loss in tests/ops, "
            "whole models with the originals' recordings in tests/oracle")


def step(bench, args, net, dtype, cores, steps):
    model, batch, who = NETS[net]
    batch = 4 if args.quick and net == "resnet50" else 64 if args.quick else batch
    peers = {}
    for peer in [p.strip() for p in args.peer.split(",")]:
        environment, module, flags = PEERS[peer]
        if peer in who and bench.has(environment, "torchvision" if (module, net) == ("torch", "resnet50") else module):
            peers[peer] = (bench.peer_script(environment, "peer_train.py", "--peer", peer.split("-")[0], "--model", model,
                                             "--dtype", dtype, "--threads", cores, "--steps", steps, "--batch", batch, *flags),
                           IDENTITY)
    bench.figure("cnn.%s.%s.%d" % (net, dtype, cores), "%s training step, %d images, %s" % (net, batch, DTYPES[dtype]), "img/s",
                 ours=bench.program("bench_net", "--net=" + net, "--batch=%d" % batch, "--steps=%d" % steps,
                                    "--num_threads=%d" % cores, "--precision=" + DTYPES[dtype]),
                 peers=peers, goal=GOALS["%s.%s" % (net, dtype)] if cores == 2 else None,
                 ceiling="fp32" if dtype == "fp32" else "fp32,bf16")


def layers(bench, args, net, dtype, cores):
    batch = 2 if args.quick else NETS[net][1]
    bench.figure("cnn.layers.%s.%s.%d" % (net, dtype, cores), "convolutions of %s, three passes, %d images, %s" %
                 (net, batch, DTYPES[dtype]), "GFLOP/s",
                 ours=bench.program("bench_cnn", "--layers=" + net, "--batch=%d" % batch, "--repeats=%d" % (1 if args.quick else 3),
                                    "--num_threads=%d" % cores, "--precision=" + DTYPES[dtype]),
                 ceiling="fp32" if dtype == "fp32" else "fp32,bf16")


def main():
    args = common.arguments("cnn", __doc__, extra=lambda p: (
        p.add_argument("--steps", type=int, default=5, help="timed steps of a run [5]"),
        p.add_argument("--peer", default="torch,torch-compiled,keras", help="comma list of %s [all]" % ", ".join(PEERS)),
        p.add_argument("--cores", default="2", help="comma list: threads of both sides [2]"),
        p.add_argument("--dtypes", default=",".join(DTYPES), help="comma list [all]"),
        p.add_argument("--nets", default=",".join(NETS), help="comma list [all]")))
    bench = common.Bench("cnn", args)
    for cores in [int(c) for c in args.cores.split(",")]:
        args.threads = cores
        common.pin(cores)
        for net in args.nets.split(","):
            for dtype in args.dtypes.split(","):
                layers(bench, args, net, dtype, cores)
                step(bench, args, net, dtype, cores, 1 if args.quick else args.steps)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
