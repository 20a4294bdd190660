# ByteNet from shards to decoded text: the same bits for any number of threads and after an interruption; a
# step at a time, each from the whole prefix; alone or in a batch the same text.
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 200

net() { # folder, steps, flags
    out=$1 steps=$2
    shift 2
    t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir="$out" --train_steps="$steps" --model=byte_net --hparams_set=bytenet_base \
        --hparams=hidden_size=16,num_block_repeat=1,num_hidden_layers=2,weight_decay=0,learning_rate=2.0,learning_rate_warmup_steps=4,batch_size=256 \
        --local_eval_frequency=6 --eval_steps=2 --log_step_count_steps=3 "$@" 2>>"$out.log"
}
net whole 6 --num_threads=1
net parts 3 --num_threads=2
net parts 6 --num_threads=2
cmp whole/model-6.safetensors parts/model-6.safetensors
grep -q 'model: byte_net, bytenet_base, ' whole.log

decode() { # lines of in.txt, beam
    head -n "$1" in.txt >some.txt
    t2t-decoder --problem=translate_ende_numbers --data_dir=data --output_dir=whole --decode_from_file=some.txt --decode_to_file=out.txt \
        --decode_hparams="beam_size=$2,extra_length=8" 2>>decode.log
    cat out.txt
}
printf 'words and more words\na b\nc\n' >in.txt
for beam in 1 3; do
    decode 3 $beam >all.txt
    [ "$(wc -l <all.txt)" = 3 ]
    decode 1 $beam >one.txt
    head -n 1 all.txt | cmp - one.txt
done
