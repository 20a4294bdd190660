# What a run on images takes of memory is what its plan said, within 5 % (the buffers of decoders are not
# planned); --batch_size=auto counts the images that are prepared ahead.
# Not with sanitizers: their memory is another
. "$T2_ROOT/tests/e2e/train_common.subr"

draw_greys photos
t2t-datagen --quiet --name=greys --image_dir=photos --dev_percent=20 --data_dir=data

images() { # output folder, flags
    out=$1
    shift
    t2t-trainer --problem=greys --data_dir=data --output_dir="$out" --model=resnet --hparams_set=resnet_18 \
        --train_steps=2 --eval_steps=1 --local_eval_frequency=2 --random_seed=1 --num_threads=2 "$@" 2>"$out.log" || {
        cat "$out.log" >&2
        return 1
    }
    activations=$(sed -n 's/.*memory: .* activations \([0-9.]*\),.*/\1/p' "$out.log" | tail -n 1)
    plan=$(sed -n 's/.*memory: \([0-9.]*\) MiB = .*/\1/p' "$out.log" | tail -n 1)
    used=$(sed -n 's/.*memory: at most \([0-9.]*\) MiB were used.*/\1/p' "$out.log" | tail -n 1)
    awk -v plan="$plan" -v used="$used" 'BEGIN { exit !(plan > 0 && used < 1.05 * plan && used > 0.95 * plan) }' || {
        echo "$out: planned $plan MiB, used $used" >&2
        return 1
    }
}
images given --hparams="image_size=96,batch_size=24"
given=$activations
images half --hparams="image_size=96,batch_size=24" --precision=bfloat16
awk -v half="$activations" -v given="$given" 'BEGIN { exit !(half < 0.8 * given) }' || { echo "bfloat16 needs $activations of $given MiB" >&2; exit 1; }
images auto --hparams="image_size=96" --batch_size=auto --max_memory=350M
fits=$(sed -n 's/.*batch_size=\([0-9]*\) is the largest.*/\1/p' auto.log)
[ "$fits" -gt 8 ]
awk -v plan="$plan" 'BEGIN { exit !(plan <= 350 && plan > 340) }' || { echo "auto planned $plan of 350 MiB" >&2; exit 1; }
