#!/usr/bin/env python3
"""One Transformer training step (forward, backward, Adam): target tokens per second, ours and the peers of peer_train.py.

  make bench-step [PEERS=DIR]              or: python3 bench/bench_step.py [--quick] [--threads 2] [--only TEXT]

Made-up ids, 32 sentences of 32 ids on both sides, float32, dropout 0.1, label smoothing 0.1.  Sizes are those of
peer_train.py: base 512/2048/8 heads/6+6/32768, small256 256/1024/4/4+4/8192, small128 128/512/4/2+2/8192.
"""
import sys

import common

# (environment, module, further flags of peer_train.py)
PEERS = {"torch": ("torch", "torch", []), "torch-compiled": ("torch", "torch", ["--compile"]),
         "keras": ("tf2", "tensorflow", ["--compile"]), "t2t": ("tf1", "tensor2tensor", []),
         "official": ("tfm", "official", [])}
SIZES = ("base", "small256", "small128")
IDENTITY = ("same shapes, batch and optimizer; our model equals Tensor2Tensor's logits, gradients and steps in "
            "tests/oracle/test_recorded_transformer.c")


def main():
    args = common.arguments("step", __doc__, extra=lambda p: (
        p.add_argument("--steps", type=int, default=6, help="timed steps of a run [6]"),
        p.add_argument("--peer", default="torch", help="comma list of %s [torch]" % ", ".join(PEERS)),
        p.add_argument("--sizes", default=",".join(SIZES), help="comma list [all]")))
    bench = common.Bench("step", args)
    steps = 3 if args.quick else args.steps
    for size in args.sizes.split(","):
        peers = {}
        for name in args.peer.split(","):
            environment, module, flags = PEERS[name.strip()]
            if bench.has(environment, module):
                peers[name] = (bench.peer_script(environment, "peer_train.py", "--peer", name.split("-")[0],
                                                 "--size", size, "--threads", args.threads, "--steps", steps, *flags),
                               IDENTITY)
        bench.figure("step.%s.fp32" % size, "Transformer %s training step, 32 x 32 ids, float32" % size, "target tok/s",
                     ours=bench.program("bench_step", "--size=" + size, "--steps=%d" % steps,
                                        "--num_threads=%d" % args.threads),
                     peers=peers, ceiling="fp32")
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
