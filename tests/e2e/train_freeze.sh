# A run that begins with another one's variables and freezes some of them, in micro-batches: with the bits of data
# shards, with any optimizer, and continued without its flags.
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 300
train first 8
frozen='transformer/body/encoder/*+*emb*'
for optimizer in adam momentum; do
    for flags in --worker_gpu=4 --gradient_accumulation=4 '--worker_gpu=2 --gradient_accumulation=2'; do
        out=$optimizer-${flags##*--}
        # shellcheck disable=SC2086 # several flags
        (become_trainer "$out" 8 --hparams="hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=256,optimizer=$optimizer" \
            --warm_start_from=first --freeze="$frozen" $flags)
        grep -q 'frozen: [1-9][0-9]* variables' "$out.log"
    done
    for other in gradient_accumulation=4 gradient_accumulation=2; do
        cmp "$optimizer-worker_gpu=4/model-8.safetensors" "$optimizer-$other/model-8.safetensors"
        cmp "$optimizer-worker_gpu=4/optimizer-8.safetensors" "$optimizer-$other/optimizer-8.safetensors"
    done
done
# the slots of what is frozen are not kept
size() { wc -c <"$1/optimizer-8.safetensors"; }
[ "$(size adam-gradient_accumulation=4)" -lt "$(size first)" ]

# continued without any of it, and not with something else
cp -r adam-gradient_accumulation=4 again
t2t-trainer --quiet --data_dir=data --output_dir=again --train_steps=16 --local_eval_frequency=8
(become_trainer adam-gradient_accumulation=4 16 --freeze="$frozen" --gradient_accumulation=4 \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=256,optimizer=adam)
cmp again/model-16.safetensors adam-gradient_accumulation=4/model-16.safetensors
refused() { # text, flags
    text=$1
    shift
    fails 2 t2t-trainer --data_dir=data --output_dir=again --train_steps=24 "$@" 2>log
    says log "$text"
}
refused '2 (--worker_gpu, --gradient_accumulation) on 1 ranks is 2' --gradient_accumulation=2
refused frozen_variables --freeze='*decoder*'
fails 2 train new 8 --freeze='*decodr*'
says new.log "no variable is called '*decodr*'"
