#!/bin/sh
# scripts/demo_numbers.sh - the whole pipeline in a few minutes, on sentences that t2t-datagen makes itself:
# text -> vocabulary and TFRecords -> training -> translation -> BLEU.  `make demo` calls it.
#
# Everything lands in DEMO_DIR (build/demo).  A second run continues what a first one left.
set -eu

dir=${DEMO_DIR:-build/demo}
steps=${DEMO_STEPS:-700}
problem=translate_ende_numbers
data=$dir/data
run=$dir/run
mkdir -p "$dir"
begin=$(date +%s)

say() { printf '\n== %s\n' "$*"; }

say "1/4 data: English and German sentences about numbers, as shuffled TFRecords ($data)"
t2t-datagen --problem=$problem --data_dir="$data" --tmp_dir="$dir/tmp" --verbosity=warning

say "2/4 training: transformer_tiny, $steps steps ($run)"
t2t-trainer --problem=$problem --data_dir="$data" --output_dir="$run" \
    --model=transformer --hparams_set=transformer_tiny \
    --hparams='batch_size=2048,learning_rate_constant=1.0,learning_rate_warmup_steps=300' \
    --train_steps="$steps" --local_eval_frequency="$steps" --log_step_count_steps=50

say "3/4 translating the test set, which shares no sentence with the training set"
t2t-decoder --problem=$problem --data_dir="$data" --output_dir="$run" \
    --decode_hparams='beam_size=4,alpha=0.6' \
    --decode_from_file="$data/$problem.test.en" --decode_to_file="$dir/test.translated.de"

say "4/4 scoring"
bleu=$(t2t-bleu --translation="$dir/test.translated.de" --reference="$data/$problem.test.de" \
    --scorer=sacrebleu)

median_rate=$(sed -n 's/.*"target_tokens_per_s": *\([0-9.]*\).*/\1/p' "$run/metrics.jsonl" |
    sort -n | awk '{ a[NR] = $1 } END { printf "%.0f", a[int((NR + 1) / 2)] }')

printf '\n%s\n' '----------------------------------------------------------------------'
printf '%-18s %s\n' \
    'records' "$(grep -c . "$data/$problem.test.en") test, in $(find "$data" -name "$problem-*-of-*" | wc -l | tr -d ' ') shards, $(du -sh "$data" | cut -f1)" \
    'vocabulary' "$(wc -l <"$data/vocab.$problem.1024.subwords" | tr -d ' ') subwords" \
    'training' "$steps steps, $median_rate target tokens/s (median)" \
    'in all' "$(($(date +%s) - begin)) s"
printf '\n'
for n in 1 2 3 4 5; do
    line=$((n * 137))
    printf '  %s\n  -> %s\n' "$(sed -n "${line}p" "$data/$problem.test.en")" \
        "$(sed -n "${line}p" "$dir/test.translated.de")"
done
printf '\n%s\n' "$bleu"
printf '%s\n' '----------------------------------------------------------------------'
