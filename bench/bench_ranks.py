#!/usr/bin/env python3
"""Two ranks of one thread beside one process of two threads, and what --shard_optimizer costs: target ids a second of training,
in alternating pairs.

  bench/bench_ranks.py [--hparams_set transformer_base] [--batch 1024] [--steps 6] [--pairs 3]

The batch of the one process is as large as that of both ranks.  The rate is of the steps behind the second, from metrics.jsonl.
A line of JSON for each figure: medians, the median of the pairs' ratios, and their least and greatest."""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BIN = os.environ.get("BIN", os.path.join(ROOT, "build/release"))


def rate(options, work, ranks, *flags):
    """Target ids a second."""
    out = os.path.join(work, "run")
    shutil.rmtree(out, ignore_errors=True)
    launch = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if ranks > 1 else []
    batch = options.batch * 2 // ranks
    subprocess.run([*launch, os.path.join(BIN, "bin/t2t-trainer"), "--problem=translate_ende_numbers", "--data_dir=" + work, "--output_dir=" + out,
                    "--hparams_set=" + options.hparams_set, "--hparams=max_length=64,batch_size=%d" % batch, "--num_threads=%d" % (2 // ranks),
                    "--train_steps=%d" % (options.steps + 2), "--log_step_count_steps=1", "--eval_steps=0", *flags], check=True,
                   env=dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"), stderr=subprocess.DEVNULL)
    with open(os.path.join(out, "metrics.jsonl"), encoding="utf-8") as f:
        lines = [x for x in map(json.loads, f) if x["kind"] == "train" and x["step"] > 2]
    return statistics.median(x["target_tokens_per_s"] for x in lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hparams_set", default="transformer_base")
    for name, value in (("batch", 1024), ("steps", 6), ("pairs", 3)):
        parser.add_argument("--" + name, type=int, default=value)
    options = parser.parse_args()
    work = tempfile.mkdtemp()
    try:
        subprocess.run([os.path.join(BIN, "bin/t2t-datagen"), "--quiet", "--problem=translate_ende_numbers", "--max_cases=20000",
                        "--data_dir=" + work, "--tmp_dir=" + work], check=True, stderr=subprocess.DEVNULL)
        sides = {"ranks.one_process": ((2,), (1,)), "ranks.shard_optimizer": ((2, "--shard_optimizer"), (2,))}
        for figure, (ours, other) in sides.items():
            pairs = [(rate(options, work, *ours), rate(options, work, *other)) for _ in range(options.pairs)]
            ratios = [a / b for a, b in pairs]
            print(json.dumps({"figure": figure, "work": "%s, %d ids a rank" % (options.hparams_set, options.batch),
                              "value": round(statistics.median(a for a, _ in pairs), 1), "other": round(statistics.median(b for _, b in pairs), 1),
                              "ratio": round(statistics.median(ratios), 3), "spread": [round(min(ratios), 3), round(max(ratios), 3)],
                              "load": os.getloadavg()[0]}), flush=True)
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
