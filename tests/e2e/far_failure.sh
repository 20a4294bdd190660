#!/usr/bin/env bash
# A device that works behind the host: decoding gives the bits of the reference; what fails on it ends the run with a
# sound checkpoint, and the same command goes on to the same bits.
. "$T2_ROOT/tests/e2e/train_common.subr"

data data 300
train reference 13 --device=reference
printf 'one two three\nseven\n' >in
for device in reference far; do
    for search in beam_size=1 beam_size=3; do
        t2t-decoder --quiet --problem=translate_ende_numbers --data_dir=data --output_dir=reference --device=$device \
            --decode_hparams=$search --decode_from_file=in --decode_to_file="$device.$search"
    done
done
cmp reference.beam_size=1 far.beam_size=1
cmp reference.beam_size=3 far.beam_size=3

(T2_FAR_FAILS_AT=2000 fails 1 train broken 13 --device=far --save_checkpoints_steps=2)
says broken.log 'device far: kernel'
says broken.log 'the last checkpoint is sound'
[ -f broken/model-2.safetensors ]
! [ -f broken/model-12.safetensors ]
train broken 13 --device=reference
cmp reference/model-13.safetensors broken/model-13.safetensors
cmp reference/optimizer-13.safetensors broken/optimizer-13.safetensors
