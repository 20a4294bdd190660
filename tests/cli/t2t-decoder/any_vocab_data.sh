# Vocabularies of every kind that other programs made: data set, a few steps, a decoder that writes text.
v=${T2_DATA:-$T2_ROOT/../shared/data}/goldens/vocabularies
[ -f "$v/facts.json" ] || { echo "no $v: set T2_DATA"; exit 77; }
i=0
while [ $i -lt 30 ]; do
    echo "the small house $i, and a red one; the end"
    i=$((i + 1))
done >x
sed 's/the small house/das kleine Haus/; s/and a red one/und ein rotes/; s/the end/das Ende/' x >y
run() {
    name=$1
    shift
    t2t-datagen --quiet --name=$name --train=x,y --dev=x,y --train_shards=1 --data_dir=data "$@"
    t2t-trainer --quiet --problem=$name --data_dir=data --output_dir=run_$name --hparams_set=transformer_tiny --schedule=train \
        --hparams=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,batch_size=512 --train_steps=1
    decode $name beam_size=1,extra_length=1 text
    echo "$name: $(ls data/vocab.$name.* | tr '\n' ' ')$(wc -l <text) lines"
    tfrec head -n 1 --vocab="$(ls data/vocab.$name.* | head -n 1)" --fields=inputs data/$name-dev-00000-of-00001
}
decode() {
    head -n 4 x | t2t-decoder --quiet --output_dir=run_$1 --data_dir=data --decode_hparams=$2 --decode_from_file=- \
        --decode_to_file=$3
}
run sp_bpe --vocab="$v/spm-bpe.model"
run sp_unigram --vocab="$v/spm-unigram.model"
run sp_bytes --source_vocab="$v/spm-unigram-bytes.model" --target_vocab="$v/spm-bpe-cf.model"
run bpe --vocab="$v/hf-bpe-bytelevel.tokenizer.json"
run unigram --vocab="$v/hf-unigram.tokenizer.json"
run wordpiece --vocab="$v/hf-wordpiece.tokenizer.json"
run ranks --vocab="$v/ranks.tiktoken"
run codes --vocab="$v/subword-nmt.codes"
tr ' ' '\n' <x | sort -u >words
echo '<unk>' >>words
run words --vocab=words
# another vocabulary under the name: the trainer and the decoder refuse it
cp "$v/spm-bpe-cf.model" data/vocab.sp_bpe.602.sentencepiece
decode sp_bpe beam_size=1 text || echo "exit code $?"
cp words data/vocab.sp_bpe.602.sentencepiece
decode sp_bpe beam_size=1 text || echo "exit code $?"
