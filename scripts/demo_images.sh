#!/bin/sh
# scripts/demo_images.sh - images to classes, from JPEG files in folders to the classes of new ones.
# `make demo-images` calls it.
#
# The images are drawn by scripts/draw_shapes.c: eight shapes of any colour, size, place and angle.  Everything
# lands in DEMO_DIR (build/demo-images); the same command again continues what was interrupted.
set -eu

dir=${DEMO_DIR:-build/demo-images}
steps=${DEMO_STEPS:-300}
begin=$(date +%s)

say() { printf '\n== %s\n' "$*"; }

say "1/5 images: 4000 drawn in folders by class ($dir/shapes), 400 new ones in one folder ($dir/new)"
if ! [ -f "$dir/drawn" ]; then
    draw_shapes "$dir/shapes" 4000 1 0
    draw_shapes "$dir/new" 400 2 1
    touch "$dir/drawn"
fi

say "2/5 records: every seventh image or so is for validation ($dir/data)"
jpeg-to-tfrecord --image_dir="$dir/shapes" --validation_percent=15 --output_dir="$dir/data"

say "3/5 training: $steps steps ($dir/run)"
hparams=learning_rate_warmup_steps=$((steps / 4)),learning_rate_decay_steps=$((steps - steps / 4))
t2t-trainer --problem=pictures --data_dir="$dir/data" --output_dir="$dir/run" \
    --model=record_net --hparams_set=record_net_small --hparams="$hparams" \
    --train_steps="$steps" --local_eval_frequency=100 --log_step_count_steps=50

say "4/5 evaluation: images that training did not see"
t2t-trainer --data_dir="$dir/data" --output_dir="$dir/run" --schedule=evaluate --verbosity=warning

say "5/5 new images: their classes ($dir/new.tsv), and a page to look at ($dir/new.png)"
t2t-decoder --data_dir="$dir/data" --output_dir="$dir/run" --decode_from_file="$dir/new" \
    --decode_to_file="$dir/new.tsv" --contact_sheet="$dir/new.png" --verbosity=warning
echo 'file, class, probability:'
head -n 5 "$dir/new.tsv"
# The name of a file tells what was drawn: 00017-circle.jpg.
awk -F'\t' -v steps="$steps" -v seconds="$(($(date +%s) - begin))" '
    { shape = $1; sub(/.*-/, "", shape); sub(/\.jpg$/, "", shape) }
    shape == $2 { right++ }
    shape != $2 && ++wrong <= 10 { print "wrong: " $0 }
    END {
        printf "%d of %d new images are right: %.2f %%; %d steps, this run took %d s\n", right, NR,
            100 * right / NR, steps, seconds
        if (right < 0.97 * NR)
            print "demo-images: error: 97 % were expected"
        exit right < 0.97 * NR
    }' "$dir/new.tsv"
echo "of your own: t2t-decoder --data_dir=$dir/data --output_dir=$dir/run --decode_from_file=IMAGE"
