# The Universal Transformer from shards to decoded text: the same bits for any number of threads, after an
# interruption, and on a device with memory of its own; alone or in a batch the same text; classes for texts.
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 200

net() { # folder, steps, flags
    out=$1 steps=$2
    shift 2
    t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir="$out" --train_steps="$steps" \
        --model=universal_transformer --hparams_set=universal_transformer_tiny \
        --hparams=hidden_size=16,filter_size=24,num_heads=2,num_rec_steps=3,learning_rate_warmup_steps=4,batch_size=256,max_length=40 \
        --local_eval_frequency=6 --eval_steps=2 --log_step_count_steps=3 "$@" 2>>"$out.log"
}
net whole 6 --num_threads=1
net parts 3 --num_threads=2
net parts 6 --num_threads=2
cmp whole/model-6.safetensors parts/model-6.safetensors
grep -q 'model: universal_transformer, universal_transformer_tiny, ' whole.log
net near 4 --device=reference
(T2_REFERENCE=far net far 4 --device=reference)
cmp near/model-4.safetensors far/model-4.safetensors
net planned 6 --dry_run >plan.txt
grep -q '^memory: .* = parameters ' plan.txt

decode() { # lines of in.txt, beam, flags
    head -n "$1" in.txt >some.txt
    beam=$2
    shift 2
    t2t-decoder --problem=translate_ende_numbers --data_dir=data --output_dir=whole --decode_from_file=some.txt --decode_to_file=out.txt \
        --decode_hparams="beam_size=$beam,extra_length=8" "$@" 2>>decode.log
    cat out.txt
}
printf 'words and more words\na b\nc\n' >in.txt
for beam in 1 3; do
    decode 3 $beam >all.txt
    [ "$(wc -l <all.txt)" = 3 ]
    decode 1 $beam >one.txt
    head -n 1 all.txt | cmp - one.txt
    (T2_REFERENCE=far decode 3 $beam --device=reference) >far.txt
    cmp all.txt far.txt
done
# adaptive steps, whose cost is a part of the loss
act() { # folder, steps, flags
    folder=$1 n=$2
    shift 2
    net "$folder" "$n" --hparams_set=adaptive_universal_transformer_tiny \
        --hparams=hidden_size=16,filter_size=24,num_heads=2,act_max_steps=3,act_loss_weight=0.1,learning_rate_warmup_steps=4,batch_size=256,max_length=40 "$@"
}
act act 6 --num_threads=1
act again 3 --num_threads=2
act again 6 --num_threads=2
cmp act/model-6.safetensors again/model-6.safetensors
act near_act 4 --device=reference
(T2_REFERENCE=far act far_act 4 --device=reference)
cmp near_act/model-4.safetensors far_act/model-4.safetensors
t2t-decoder --problem=translate_ende_numbers --data_dir=data --output_dir=act --decode_from_file=in.txt --decode_to_file=out.txt \
    --decode_hparams="beam_size=3,extra_length=8" 2>>decode.log
[ "$(wc -l <out.txt)" = 3 ]
fails 1 net refused 1 --hparams_set=universal_transformer_skip_base
grep -q 'recurrence_type=skip is not supported (supported: basic, act; --hparams=recurrence_type=basic)' refused.log
