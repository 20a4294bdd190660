#!/bin/sh
# scripts/demo_multi30k.sh - English to German on real text, Multi30k, in an hour of two cores.
# `make demo-multi30k` calls it.
#
# Needs $T2_DATA/multi30k-en-de (train, val and test_2016_flickr as .en.gz and .de.gz).  Everything lands
# in DEMO_DIR (build/demo-multi30k); the same command again continues what was interrupted.
#
# The shape (128 wide, 4 + 4 layers, dropout 0.3, average of the last checkpoints) follows what Wu et al.
# (2021, "Good for Misconceived Reasons", ACL) found to be best for a set of this size: a small model,
# seen many times.
set -eu

source_dir=${T2_DATA:-../shared/data}/multi30k-en-de
dir=${DEMO_DIR:-build/demo-multi30k}
steps=${DEMO_STEPS:-5000}
average=${DEMO_AVERAGE:-5}
problem=multi30k_ende
test=test_2016_flickr
data=$dir/data
run=$dir/run

if ! [ -f "$source_dir/train.en.gz" ]; then
    echo "demo-multi30k: no '$source_dir/train.en.gz': set T2_DATA to the folder that holds multi30k-en-de" >&2
    exit 1
fi
mkdir -p "$dir"
begin=$(date +%s)

say() { printf '\n== %s\n' "$*"; }

say "1/4 data: vocabulary and TFRecords ($data)"
t2t-datagen --name=$problem --vocab_size=5000 --data_dir="$data" --verbosity=warning \
    --train="$source_dir/train.en.gz,$source_dir/train.de.gz" \
    --dev="$source_dir/val.en.gz,$source_dir/val.de.gz"

say "2/4 training: $steps steps ($run)"
hparams=batch_size=4096,max_length=100,hidden_size=128,filter_size=256,num_hidden_layers=4,num_heads=4
hparams=$hparams,layer_prepostprocess_dropout=0.3,attention_dropout=0.0,relu_dropout=0.0
hparams=$hparams,learning_rate_constant=2.5,learning_rate_warmup_steps=2000,optimizer_adam_beta2=0.98
t2t-trainer --problem=$problem --data_dir="$data" --output_dir="$run" \
    --model=transformer --hparams_set=transformer_tiny --hparams="$hparams" \
    --train_steps="$steps" --local_eval_frequency=500 --keep_checkpoint_max="$average"

say "3/4 translating $test with the average of the last $average checkpoints"
for side in en de; do
    gzip -dc "$source_dir/$test.$side.gz" >"$dir/$test.$side"
done
t2t-decoder --problem=$problem --data_dir="$data" --output_dir="$run" \
    --average_checkpoints="$average" --decode_hparams='beam_size=4,alpha=0.6' \
    --decode_from_file="$dir/$test.en" --decode_to_file="$dir/$test.translated.de"

say "4/4 scoring"
t2t-bleu --translation="$dir/$test.translated.de" --reference="$dir/$test.de" --scorer=sacrebleu
t2t-bleu --translation="$dir/$test.translated.de" --reference="$dir/$test.de" --scorer=sacrebleu \
    --lowercase
rate=$(sed -n 's/.*"target_tokens_per_s": *\([0-9.]*\).*/\1/p' "$run/metrics.jsonl" |
    sort -n | awk '{ a[NR] = $1 } END { printf "%.0f", a[int((NR + 1) / 2)] }')
printf '%s steps, %s target tokens/s (median), this run took %s s\n' "$steps" "$rate" \
    "$(($(date +%s) - begin))"
