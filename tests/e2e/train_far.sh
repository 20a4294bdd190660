# A device with memory of its own that nobody but kernels and copies may touch: training, evaluation, averages and
# going on give the bits of the reference device, for text and for images with a regulariser; also where the device
# keeps weights in an order of its own (T2_FAR_LAYOUTS), which nobody but kernels and copies knows.
. "$T2_ROOT/tests/e2e/train_common.subr"

data data 200

# text OUTPUT_DIR STEPS: Adam with all that surrounds an update
text() {
    t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir="$1" --train_steps="$2" \
        --hparams_set=transformer_tiny --device=reference --local_eval_frequency=4 --eval_steps=1 \
        --hparams=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,batch_size=128,max_length=40,clip_grad_norm=0.5,weight_decay=0.01,grad_noise_scale=0.01,moving_average_decay=0.9,lookahead_steps=2 \
        2>>"$1.log"
}
text near 4 # lookahead knows the last step, so both stop here
text near 8
(T2_REFERENCE=far text far 4)
(T2_REFERENCE=far text far 8)
grep -q 'late queue' far.log
! grep -q 'late queue' near.log
(T2_REFERENCE=far T2_FAR_LAYOUTS=1 text laid 4)
(T2_REFERENCE=far T2_FAR_LAYOUTS=1 text laid 8)
for file in model-4 model-8 optimizer-4 optimizer-8; do
    cmp near/$file.safetensors far/$file.safetensors
    cmp near/$file.safetensors laid/$file.safetensors
done
scores() { sed -n 's/.*dev: \(.*\), [0-9.]* s)$/\1/p' "$1"; }
[ "$(scores near.log | wc -l)" = 2 ]
[ "$(scores near.log)" = "$(scores far.log)" ]
[ "$(scores near.log)" = "$(scores laid.log)" ]
# rules whose norms, factors and sums go by an element's place in its variable
rule() { # OUTPUT_DIR OPTIMIZER
    t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir="$1" --train_steps=2 --eval_steps=0 \
        --hparams_set=transformer_tiny --device=reference \
        --hparams="hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,batch_size=64,max_length=40,clip_grad_norm=0.1,optimizer=$2" \
        2>>"$1.log"
}
for optimizer in adafactor lars yellow_fin momentum; do
    rule near_$optimizer $optimizer
    (T2_REFERENCE=far T2_FAR_LAYOUTS=1 rule laid_$optimizer $optimizer)
    cmp near_$optimizer/model-2.safetensors laid_$optimizer/model-2.safetensors
    cmp near_$optimizer/optimizer-2.safetensors laid_$optimizer/optimizer-2.safetensors
done
# what another device has saved is read, and means of checkpoints: translations
printf 'one two three\nseven\n' >in
translate() { # DIRECTORY OUTPUT [flags]
    from=$1 to=$2
    shift 2
    t2t-decoder --quiet --problem=translate_ende_numbers --data_dir=data --output_dir="$from" --device=reference \
        --decode_hparams=beam_size=2 --decode_from_file=in --decode_to_file="$to" "$@"
}
for mean in "" --average_checkpoints=2; do
    # shellcheck disable=SC2086 # a flag, or none
    translate near near.txt $mean
    # shellcheck disable=SC2086
    (T2_REFERENCE=far T2_FAR_LAYOUTS=1 translate near laid.txt $mean)
    cmp near.txt laid.txt
done

draw_greys photos
jpeg-to-tfrecord --quiet --image_dir=photos --output_dir=photo_data --train_shards=1 --validation_percent=20 >/dev/null
images() { # OUTPUT_DIR
    t2t-trainer --problem=pictures --data_dir=photo_data --output_dir="$1" --model=tpu_resnet --hparams_set=tpu_resnet_18 \
        --hparams='batch_size=4,filter_sizes=[4,4,4,8,8],image_size=32' --train_steps=3 --eval_steps=2 --device=reference \
        2>>"$1.log"
}
images near_images
(T2_REFERENCE=far images far_images)
grep -q 'late queue' far_images.log
(T2_REFERENCE=far T2_FAR_LAYOUTS=1 images laid_images)
for file in model-3 optimizer-3; do
    cmp near_images/$file.safetensors far_images/$file.safetensors
    cmp near_images/$file.safetensors laid_images/$file.safetensors
done
