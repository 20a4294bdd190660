#!/bin/sh
# bench/precision_band.sh - does training with --precision=bfloat16 lie in the band of float32's seeds?
#
#   bench/precision_band.sh [STEPS [WINDOW]]      BUILD=build/release; 1000 steps, windows of 100
#
# A small Transformer on translate_ende_numbers (our own data): three float32 runs with seeds 1, 2, 3 and one
# bfloat16 run with seed 1.  Prints the mean loss of each window, float32's lowest and highest, and a verdict: exit
# code 0 when every window of bfloat16 is in the band, wider by a tenth of itself on both sides.
set -eu
steps=${1:-1000} window=${2:-100}
root=$(cd "$(dirname "$0")/.." && pwd)
PATH=$(cd "$root" && cd "${BUILD:-build/release}/bin" && pwd):$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=20000
run() { # name, seed, precision
    t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --output_dir="$1" --hparams_set=transformer_tiny \
        --hparams=hidden_size=64,filter_size=256,num_heads=4,num_hidden_layers=2,batch_size=1024,learning_rate_warmup_steps=200 \
        --schedule=train --train_steps="$steps" --log_step_count_steps=1 --local_eval_frequency="$steps" \
        --random_seed="$2" --precision="$3"
    sed -n 's/.*"kind": "train", "step": \([0-9]*\), "loss": \([^,]*\),.*/\1 \2/p' "$1/metrics.jsonl" |
        awk -v w="$window" '{ sum += $2 } $1 % w == 0 { printf "%d %.5f\n", $1, sum / w; sum = 0 }' >"$1.curve"
}
for seed in 1 2 3; do run "float32.$seed" $seed float32; done
run bfloat16 1 bfloat16
paste float32.1.curve float32.2.curve float32.3.curve bfloat16.curve | awk '
    BEGIN { printf "%8s %10s %10s %10s %10s\n", "to step", "float32", "lowest", "highest", "bfloat16" }
    {
        low = high = $2
        for (i = 4; i <= 6; i += 2) { if ($i < low) low = $i; if ($i > high) high = $i }
        margin = (high - low) / 10
        out = $8 < low - margin || $8 > high + margin
        n_out += out
        away = $8 > $2 ? $8 - $2 : $2 - $8
        if (away > most) most = away
        if (high - low > widest) widest = high - low
        printf "%8d %10.4f %10.4f %10.4f %10.4f%s\n", $1, $2, low, high, $8, out ? "  OUTSIDE" : ""
    }
    END {
        printf "bfloat16 is at most %.4f from float32 of the same seed; the band is up to %.4f wide\n", most, widest
        print n_out ? n_out " windows are outside" : "every window is in the band"
        exit n_out > 0
    }'
