# A vocabulary of any kind, found by content: copied, named in the manifest; ids of other programs' models are raised by 2.
printf 'a b c\nb  ab cab\na\n' >x
printf 'c\na a\nab x\n' >y
cat >codes <<'end'
#version: 0.2
a b</w>
c ab</w>
end
printf 'c\na\n<pad>\nb\n<unk>\nab\ncab\n' >words
printf '<pad>\n<EOS>\nUNK\na\nb\nc\nab\ncab\nx\n' >words.t2t
for e in '<pad>' '<EOS>' a_ a b c x _ \\ u ';' 0 1 2 3 4 5 6 7 8 9; do echo "'$e'"; done >official
for e in '<pad>_' '<EOS>_' a_ a b c x _ \\ u ';' 0 1 2 3 4 5 6 7 8 9; do echo "'$e'"; done >t2t
cat >tokenizer.json <<'end'
{"version":"1.0","truncation":null,"padding":null,"added_tokens":[
 {"id":0,"content":"[UNK]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},
 {"id":1,"content":"[CLS]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],
 "normalizer":null,"pre_tokenizer":{"type":"BertPreTokenizer"},
 "post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"[CLS]","type_id":0}},{"Sequence":{"id":"A","type_id":0}}],
  "pair":[],"special_tokens":{"[CLS]":{"id":"[CLS]","ids":[1],"tokens":["[CLS]"]}}},
 "decoder":{"type":"WordPiece","prefix":"##","cleanup":true},
 "model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,
  "vocab":{"[UNK]":0,"[CLS]":1,"a":2,"##b":3,"c":4,"b":5,"##ab":6}}}
end
# every byte, then two merges
awk 'BEGIN { d = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for (b = 0; b < 256; b++) print substr(d, int(b / 4) + 1, 1) substr(d, b % 4 * 16 + 1, 1) "==", b }' >ranks
printf 'YWI= 256\nIGE= 257\n' >>ranks
make_set() {
    t2t-datagen --quiet --train=x,y --dev=x,y --train_shards=1 --data_dir=d "$@"
}
show() {
    sed -n '/"vocabularies"/,/"vocab_origin"/p' d/$1.manifest.json | sed '1d;$d' | grep -v sha256 | tr -d '\n' | tr -s ' '
    echo
    tfrec cat d/$1-dev-00000-of-00001
    tfrec cat --vocab="$(ls d/vocab.$1.* | tail -n 1)" d/$1-dev-00000-of-00001
}
for v in codes words words.t2t official t2t tokenizer.json ranks; do
    name=$(echo of_$v | tr . _)
    make_set --name=$name --vocab=$v
    kept=$(ls d/vocab.$name.*)
    echo "== $v: ${kept#d/}, $(cmp -s $v $kept && echo the same bytes || echo other bytes)"
    show $name
done
cat d/vocab.of_words.tokens
echo "== the model itself, beside the data and elsewhere: the manifest in the records' folder tells"
tfrec head -n 1 --vocab=codes d/of_codes-dev-00000-of-00001
cp d/of_codes-dev-00000-of-00001 other
tfrec head -n 1 --vocab=codes other
tfrec stats --json --vocab=ranks d/of_ranks-dev-00000-of-00001 | grep -A 4 '"vocab"'
echo "== two vocabularies, of two kinds; another entry for unknown words"
make_set --name=two --source_vocab=codes --target_vocab=words --oov_token=cab
ls d/vocab.two.*
show two
echo "== again: complete; with other codes: not"
make_set --name=two --source_vocab=codes --target_vocab=words --oov_token=cab --json | sed 's/"manifest.*//'
make_set --name=two --source_vocab=codes --target_vocab=words --oov_token=ab || echo "exit code $?"
echo 'c c' >>codes
make_set --name=two --source_vocab=codes --target_vocab=words --oov_token=cab || echo "exit code $?"
make_set --name=two --source_vocab=codes --target_vocab=words --oov_token=cab --overwrite
ls d/vocab.two.*
