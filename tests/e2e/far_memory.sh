#!/usr/bin/env bash
# A device with memory of its own: what a run takes is its plan, to the byte; what does not fit is refused before the
# first step with the plan by class and a way that fits; and each allocation or kernel that fails ends the run with one
# message and a sound checkpoint.
# With sanitizers by name: make check-far runs the device, far_failure.sh its errors
. "$T2_ROOT/tests/e2e/train_common.subr"

data data 200
hparams=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,max_length=40
batch=128

# run OUTPUT_DIR STEPS [flags]: on far, with all that a step may have
run() {
    out=$1 steps=$2
    shift 2
    t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir="$out" --train_steps="$steps" \
        --hparams_set=transformer_tiny --hparams=$hparams,"$more" --batch_size=$batch --device=far --eval_steps=1 "$@" >"$out.out" 2>"$out.log"
}

planned() { # class: bytes
    sed -n "s/.*\"$1\": \([0-9][0-9]*\)[,}].*/\1/p" plan.out
}

refused() { # what is too little, words...
    [ "$(grep -c error: none.log)" = 1 ] || { echo "not one error:" >&2; cat none.log >&2; return 1; }
    [ ! -e none ]
    for word in "$@"; do
        says none.log "$word"
    done
}

# ---- variables, slots, averages, activations, batches ----

for more in moving_average_decay=0.9 optimizer=Adafactor optimizer=Momentum,lookahead_steps=2 optimizer=yellow_fin \
    optimizer=lars; do
    run plan 2 --dry_run --json
    device=$(planned device)
    T2_FAR_MEMORY=$device run fits 2
    rm -r fits
    (T2_FAR_MEMORY=$((device - 1)) fails 1 run none 2)
    refused 'of device memory, and there are' 'the plan: parameters' ', optimizer ' ', activations ' ', batches '
done
more=moving_average_decay=0.9
run plan 2 --dry_run --json
parameters=$(planned parameters) optimizer=$(planned optimizer) averages=$(planned averages)
[ "$averages" -gt 0 ]
sum=0
for class in $parameters $parameters $optimizer $averages; do # gradients are as large
    sum=$((sum + class))
    (T2_FAR_MEMORY=$((sum - 1)) fails 1 run none 2)
    refused 'the model needs' 'take a smaller --hparams_set' 'the plan: parameters' ', averages '
done
# a batch that is too large, and what the message says would do
(T2_FAR_MEMORY=$((sum + 400000)) batch=1024 fails 1 run none 2)
refused 'batch_size=1024 needs' '--batch_size='
fit=$(sed -n 's/.*--batch_size=\([0-9]*\) fits.*/\1/p' none.log)
(T2_FAR_MEMORY=$((sum + 400000)) batch=$fit run fits 2)
rm -r fits
# not even the smallest batch fits: what the message says instead does
more=optimizer=Adam
batch=64
run plan 2 --dry_run --json
adam=$(planned device)
for short in 30000 90000; do
    (T2_FAR_MEMORY=$((adam - short)) fails 1 run none 2)
    refused 'the model needs' ', or a small --batch_size with --'
    way=$(sed -n 's/.*a small --batch_size with \([^;]*\);.*/\1/p' none.log)
    more=optimizer=Adam
    case $way in *Adafactor*) more=optimizer=Adafactor ;; esac
    case $way in *remat*) way=--remat=layer ;; *) way=--remat=none ;; esac
    T2_FAR_MEMORY=$((adam - short)) run fits 2 $way
    rm -r fits
    more=optimizer=Adam
done
# the host's memory has a limit of its own
more=optimizer=Adam
fails 1 run none 2 --max_memory=1M
refused "of the host's memory" 'the plan: ' 'program '
! grep -q 'parameters' none.log
# --batch_size=auto goes by both
batch=auto
run plan 2 --dry_run --json
free=$(sed -n 's/.*batch_size=\([0-9]*\) is the largest.*/\1/p' plan.log)
T2_FAR_MEMORY=$((adam + 200000)) run plan 2 --dry_run --json
bound=$(sed -n 's/.*batch_size=\([0-9]*\) is the largest.*/\1/p' plan.log)
[ "$bound" -lt "$free" ]
[ "$(planned device)" -le $((adam + 200000)) ]

# ---- evaluation alone, and decoding ----

batch=128
more=moving_average_decay=0.9
run kept 2
evaluate() {
    t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir=kept --schedule=evaluate --device=far \
        --eval_steps=1 "$@" >plan.out 2>none.log
}
evaluate --dry_run --json
device=$(planned device)
[ "$(planned gradients)" = 0 ]
T2_FAR_MEMORY=$device evaluate
(T2_FAR_MEMORY=$((device - 1)) fails 1 evaluate)
says none.log 'of device memory, and there are'
printf 'one two three\nseven\n' >in
decode() {
    t2t-decoder --data_dir=data --output_dir=kept --device=far --decode_from_file=in --decode_to_file=out \
        --decode_hparams=beam_size=2 "$@" 2>none.log
}
decode
cp out whole
(T2_FAR_MEMORY=$((parameters - 1)) fails 1 decode)
says none.log 'memory of device far before the first batch'
says none.log 'the plan: parameters'
(T2_FAR_MEMORY=$((parameters + 10000)) fails 1 decode)
says none.log 'device far: not enough memory for '
# batches as small as the device's memory wants, with the same lines
T2_FAR_MEMORY=$((parameters + 300000)) decode
cmp whole out
decode --max_memory=100k # the host's: what searches have there, and their graphs
cmp whole out

# ---- each allocation, and kernels, failing ----

one_message() { # log, words
    [ "$(grep -c 'error:' "$1")" = 1 ] || { echo "$1: not one error" >&2; cat "$1" >&2; return 1; }
    says "$1" "$2"
}
n=1
while (T2_FAR_ALLOC_FAILS_AT=$n fails 1 run short 2 --save_checkpoints_steps=1) 2>/dev/null; do
    one_message short.log 'device far: not enough memory for '
    if [ -e short/state-1.json ]; then
        run short 2
        cmp short/model-2.safetensors kept/model-2.safetensors
    fi
    rm -rf short
    n=$((n + 1))
    [ "$n" -lt 100 ]
done
[ "$n" -gt 12 ]
[ -e short/state-2.json ]
rm -r short

kernels=1
while (T2_FAR_FAILS_AT=$kernels fails 1 run short 3 --save_checkpoints_steps=1) 2>/dev/null; do
    one_message short.log 'device far: kernel '
    grep -q 'device far: kernel [a-z_0-9]* failed at node -\{0,1\}[0-9]* ([a-z_0-9]*) of the graph' short.log
    last=$(find short -name 'state-*.json' | sort | tail -n 1)
    if [ -n "$last" ]; then
        run short 3
        [ -e short/state-3.json ]
    fi
    rm -rf short
    kernels=$((kernels + 1 + kernels / 4))
done
[ "$kernels" -gt 200 ]
