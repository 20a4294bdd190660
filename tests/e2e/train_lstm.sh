# LSTM and Evolved Transformer from shards to decoded text, which read the whole prefix at every step: the same bits for any number of threads, after an interruption, and on a
# device with memory of its own; alone or in a batch the same text.
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 200

net() { # model, folder, steps, flags
    model=$1 out=$2 steps=$3
    shift 3
    t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir="$out" --train_steps="$steps" \
        --model="$model" --hparams_set="$set" \
        --hparams=hidden_size=16,dropout=0.1,learning_rate_warmup_steps=4,batch_size=256,max_length=40"$more" \
        --local_eval_frequency=6 --eval_steps=2 --log_step_count_steps=3 "$@" 2>>"$out.log"
}
decode() { # folder, lines of in.txt, beam, flags
    from=$1 beam=$3
    head -n "$2" in.txt >some.txt
    shift 3
    t2t-decoder --problem=translate_ende_numbers --data_dir=data --output_dir="$from" --decode_from_file=some.txt \
        --decode_to_file=out.txt --decode_hparams="beam_size=$beam,extra_length=8" "$@" 2>>decode.log
    cat out.txt
}
printf 'words and more words\na b\nc\n' >in.txt
for m in lstm_seq2seq lstm_seq2seq_bidirectional_encoder lstm_seq2seq_attention evolved_transformer; do
    set=lstm_seq2seq more=
    case $m in
    *_attention) set=lstm_bahdanau_attention_multi ;;
    evolved*) set=evolved_transformer_tiny more=,learning_rate_schedule=constant,learning_rate_constant=0.01 ;;
    esac
    net $m $m 6 --num_threads=1
    net $m parts_$m 3 --num_threads=2
    net $m parts_$m 6 --num_threads=2
    cmp $m/model-6.safetensors parts_$m/model-6.safetensors
    net $m near_$m 4 --device=reference
    (T2_REFERENCE=far net $m far_$m 4 --device=reference)
    cmp near_$m/model-4.safetensors far_$m/model-4.safetensors
    for beam in 1 3; do
        decode $m 3 $beam >all.txt
        [ "$(wc -l <all.txt)" = 3 ]
        decode $m 1 $beam >one.txt
        head -n 1 all.txt | cmp - one.txt
        (T2_REFERENCE=far decode $m 3 $beam --device=reference) >far.txt
        cmp all.txt far.txt
    done
done
