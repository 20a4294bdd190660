#!/bin/sh
# bench/bench_time_to_accuracy.sh - how long from nothing to an accuracy, on the real images.
#
#   make bench-time_to_accuracy                    MNIST, then CIFAR-10, three seeds each
#   WHAT=mnist SEEDS=1 sh bench/bench_time_to_accuracy.sh
#   WHAT=cifar10 PRECISIONS=bfloat16 CIFAR_STEPS=900 sh bench/bench_time_to_accuracy.sh
#
# MNIST: 99.3 % of the 10,000 test images; CIFAR-10, the JPEG copies of $T2_DATA/cifar10-jpeg-records: 90 %.
# The seconds are those of the trainer from its start to its end: shards read and checked, training,
# evaluation, checkpoint.  A JSON line for each run, then one with the medians.
#
# Where the recipe comes from: all of it is Jordan's airbench94 ("94 % on CIFAR-10 in 3.29 seconds on a single GPU",
# 2024), which stands on Page's series "How to train your ResNet" (2018-19): whitening of 2 x 2 parts, kernels begun
# as identity, GELU, norms without factor whose biases learn 64 times as fast, label smoothing 0.2, Nesterov
# momentum 0.85, a rate that rises for a quarter of the steps and falls to nothing, lookahead (Zhang et al. 2019),
# images mirrored in every second epoch and shifted by two, evaluation of six views.  Ours: half of its batch,
# and the whitening learns on to the end.
set -eu

data=${T2_DATA:-../shared/data}
dir=${BENCH_DIR:-build/time-to-accuracy}
bin=${T2_BIN:-build/release/bin}
what=${WHAT:-mnist cifar10}
seeds=${SEEDS:-1 2 3}
precisions=${PRECISIONS:-float32 bfloat16}
mkdir -p "$dir"

# train NAME SEED PRECISION STEPS GOAL [flags]
train() {
    name=$1 seed=$2 precision=$3 steps=$4 goal=$5
    shift 5
    run=$dir/$name-$precision-$seed
    rm -rf "$run"
    begin=$(date +%s.%N)
    "$bin/t2t-trainer" --data_dir="$dir/$name" --output_dir="$run" --model=record_net --random_seed="$seed" \
        --precision="$precision" --train_steps="$steps" --local_eval_frequency="$steps" \
        --hparams="learning_rate_warmup_steps=$((steps * 2 / 9)),learning_rate_decay_steps=$((steps - steps * 2 / 9))" \
        --log_step_count_steps=100 --verbosity=warning "$@"
    end=$(date +%s.%N)
    grep '"kind": "eval"' "$run/metrics.jsonl" | tail -n 1 |
        sed 's/.*"accuracy": \([0-9.e-]*\),.*/\1/' |
        awk -v n="$name" -v s="$seed" -v p="$precision" -v t="$steps" -v g="$goal" -v b="$begin" -v e="$end" '
            { printf "{\"what\": \"%s\", \"precision\": \"%s\", \"seed\": %d, \"steps\": %d, \"seconds\": %.1f, \"accuracy\": %s, \"goal\": %s}\n", n, p, s, t, e - b, $1, g }'
}

prepare_mnist() {
    [ -f "$dir/mnist/image_mnist.manifest.json" ] && return
    mkdir -p "$dir/mnist-files"
    cp "$data"/mnist-t10k/*.gz "$data"/mnist-train/*.gz "$dir/mnist-files"
    "$bin/t2t-datagen" --quiet --problem=image_mnist --data_dir="$dir/mnist" --tmp_dir="$dir/mnist-files"
}

prepare_cifar10() {
    mkdir -p "$dir/cifar10"
    for pair in train:train test:dev; do
        ln -sf "$(cd "$data/cifar10-jpeg-records" && pwd)/cifar10-${pair%:*}.tfrecord" \
            "$dir/cifar10/image_cifar10-${pair#*:}-00000-of-00001"
    done
}

: >"$dir/results.jsonl"
for w in $what; do
    "prepare_$w"
    for precision in $precisions; do
        for seed in $seeds; do
            case $w in
            mnist) train mnist "$seed" "$precision" "${MNIST_STEPS:-420}" 0.993 --problem=image_mnist \
                --hparams_set=record_net_mnist ;;
            cifar10) train cifar10 "$seed" "$precision" "${CIFAR_STEPS:-900}" 0.9 --problem=image_cifar10 \
                --hparams_set=record_net ;;
            esac | tee -a "$dir/results.jsonl"
        done
    done
done
python3 - "$dir/results.jsonl" <<'EOF'
import json, statistics, sys
runs = [json.loads(line) for line in open(sys.argv[1])]
for key in sorted({(r["what"], r["precision"]) for r in runs}):
    of = [r for r in runs if (r["what"], r["precision"]) == key]
    print(json.dumps({"what": key[0], "precision": key[1], "runs": len(of), "median_seconds": statistics.median(r["seconds"] for r in of),
                      "median_accuracy": statistics.median(r["accuracy"] for r in of), "goal": of[0]["goal"]}))
EOF
