# LSTM and Evolved Transformer from shards to decoded text, which read the whole prefix at every step: the same bits for
# any number of threads, after an interruption, and on a device with memory of its own; alone or in a batch the same text.
# The devices' runs are as short as what they compare allows: plain loops take most of this test's time.
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 200

net() { # model, folder, steps, batch, flags
    model=$1 out=$2 steps=$3 batch=$4
    shift 4
    t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir="$out" --train_steps="$steps" \
        --model="$model" --hparams_set="$set" \
        --hparams=hidden_size=16,dropout=0.1,learning_rate_warmup_steps=4,batch_size="$batch",max_length=40"$more" \
        --local_eval_frequency=4 --eval_steps=1 --log_step_count_steps=2 "$@" 2>>"$out.log"
}
decode() { # folder, texts, beam, flags
    from=$1 texts=$2 beam=$3
    shift 3
    t2t-decoder --problem=translate_ende_numbers --data_dir=data --output_dir="$from" --decode_from_file="$texts" \
        --decode_to_file=out.txt --decode_hparams="beam_size=$beam,extra_length=4" "$@" 2>>decode.log
    cat out.txt
}
printf 'words and more words\na b\nc\n' >three.txt
head -n 1 three.txt >first.txt
tail -n 2 three.txt >short.txt
for m in lstm_seq2seq lstm_seq2seq_bidirectional_encoder lstm_seq2seq_attention evolved_transformer; do
    set=lstm_seq2seq more=
    case $m in
    *_attention) set=lstm_bahdanau_attention_multi more=,attention_layer_size=16,num_heads=2 ;;
    evolved*) set=evolved_transformer_tiny more=,learning_rate_schedule=constant,learning_rate_constant=0.01 ;;
    esac
    net $m $m 4 256 --num_threads=1
    net $m parts_$m 2 256 --num_threads=2
    net $m parts_$m 4 256 --num_threads=2
    cmp $m/model-4.safetensors parts_$m/model-4.safetensors
    net $m near_$m 2 64 --device=reference
    (T2_REFERENCE=far net $m far_$m 2 64 --device=reference)
    cmp near_$m/model-2.safetensors far_$m/model-2.safetensors
    for beam in 1 3; do
        decode $m three.txt $beam >all.txt
        [ "$(wc -l <all.txt)" = 3 ]
        decode $m first.txt $beam >one.txt
        head -n 1 all.txt | cmp - one.txt
        decode $m short.txt $beam >short_out.txt
        (T2_REFERENCE=far decode $m short.txt $beam --device=reference) >far.txt
        cmp short_out.txt far.txt
    done
done
