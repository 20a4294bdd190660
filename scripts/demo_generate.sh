#!/bin/sh
# scripts/demo_generate.sh - images that a model makes, from nothing to a page of them.
# `make demo-generate` calls it.
#
# What it learns from is drawn by scripts/draw_emblems.c: four shapes in eight colours on six grounds, 12 x 12
# pixels.  Everything lands in DEMO_DIR (build/demo-generate); the same command again continues what was
# interrupted.
set -eu

dir=${DEMO_DIR:-build/demo-generate}
steps=${DEMO_STEPS:-2000}
begin=$(date +%s)

say() { printf '\n== %s\n' "$*"; }

say "1/4 images: 3000 drawn in folders by class ($dir/emblems)"
if ! [ -f "$dir/drawn" ]; then
    draw_emblems "$dir/emblems" 3000 1
    touch "$dir/drawn"
fi

say "2/4 records: every tenth image or so is for validation ($dir/data)"
jpeg-to-tfrecord --image_dir="$dir/emblems" --validation_percent=10 --output_dir="$dir/data"

say "3/4 training: $steps steps ($dir/run)"
hparams=image_size=12,batch_size=16,num_heads=4,filter_size=256,block_length=144,unconditional=false
hparams=$hparams,learning_rate=0.02,learning_rate_warmup_steps=150,initializer_gain=1.0,sampling_method=random
t2t-trainer --problem=pictures_rev --data_dir="$dir/data" --output_dir="$dir/run" \
    --model=imagetransformer --hparams_set=imagetransformer_tiny --hparams="$hparams" \
    --train_steps="$steps" --local_eval_frequency=200 --log_step_count_steps=50

say "4/4 drawing: 16 images of each class ($dir/made), and a page to look at ($dir/made.png)"
t2t-decoder --output_dir="$dir/run" --data_dir="$dir/data" --draw_images=16 \
    --decode_to_file="$dir/made" --contact_sheet="$dir/made.png"

# The last evaluation, of images that training did not see.
sed -n 's/.*"kind": "eval".*"bits_per_dim": \([0-9.]*\).*/\1/p' "$dir/run/metrics.jsonl" | tail -n 1 |
    awk -v steps="$steps" -v seconds="$(($(date +%s) - begin))" '
        { printf "%.3f bits per dimension of new images; %d steps, this run took %d s\n", $1, steps, seconds
          found = 1
          if ($1 > 0.15) print "demo-generate: error: less than 0.15 was expected"
          bad = $1 > 0.15 }
        END { exit bad || !found }'
