# Every problem of classification, question answering, dialog, summarisation and rewriting that is not refused
# is made from small archives in the formats of the originals; a classifier is trained and names classes.
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
PYTHONDONTWRITEBYTECODE=1 python3 "$T2_ROOT/tests/support/class_sources.py" sources

make_set() { # data_dir, problems
    mkdir -p "$1"
    t2t-datagen --quiet --offline --problem="$2" --data_dir="$1" --tmp_dir=tmp 2>log || { cat log >&2; exit 1; }
}

cp -r sources tmp
own=$(t2t-datagen --only_list | sed -n 's/^ *\* //p' | grep -E '^(cola|sentiment_|rte|question_nli|winograd_nli|quora_|msr_para|multi_nli|stanford_nli|sci_tail|squad|babi_|summarize_|style_|paraphrase_|lambada_rc|sva_number)' |
    grep -vE '^squad_concat(_shared_vocab)?$')
test "$(echo "$own" | wc -l)" -eq 107
# Vocabularies of language models of gigabytes: any one will do here.
make_set data squad_text2text
for v in lm1b32k.32768 en_wiki32k.32000 en_wiki64k.64000 de_en_fr_ro_wiki64k.64000; do
    cp data/vocab.squad_text2text.32768.subwords "data/vocab.languagemodel_$v.subwords"
done
# shellcheck disable=SC2086 # one word a problem
make_set data "$(echo $own | tr ' ' ,)"
for p in $own; do
    test -s "data/$p.manifest.json" || { echo "$p was not made" >&2; exit 1; }
done
tfrec verify data/*-of-* >verified || { tail -3 verified >&2; exit 1; }

# These share the names of their files with others.
for p in squad_concat squad_concat_shared_vocab dialog_cornell32k dialog_dailydialog16k dialog_personachat16k \
    dialog_opensubtitles64k2009 dialog_opensubtitles64k2018; do
    rm -rf tmp && cp -r sources tmp
    mkdir "data.$p" && cp data/vocab.languagemodel_* "data.$p/"
    make_set "data.$p" "$p"
done

# Archives and unpacked files give the same bytes.
(cd tmp && python3 -c "import zipfile; zipfile.ZipFile('CoLA.zip').extractall('.')" && rm CoLA.zip)
make_set unpacked cola
for f in data/cola-* data/vocab.cola.*; do cmp "$f" "unpacked/${f#data/}"; done

# A classifier.
t2t-trainer --problem=sentiment_imdb --data_dir=data --output_dir=run --model=transformer_encoder \
    --hparams_set=transformer_tiny --hparams=hidden_size=32,filter_size=32,num_heads=2,num_hidden_layers=1,batch_size=512 \
    --train_steps=60 --local_eval_frequency=60 --eval_steps=2 2>run.log || { tail -3 run.log >&2; exit 1; }
grep -q 'dev: loss .* accuracy ' run.log
printf 'green house\n\nthe stone walks\n' >in
t2t-decoder --quiet --output_dir=run --data_dir=data --decode_from_file=in --decode_to_file=out
test "$(wc -l <out)" = 3
sed -n '1p;3p' out | grep -cxE 'neg|pos' | grep -qx 2
t2t-decoder --quiet --output_dir=run --data_dir=data --decode_from_file=in --decode_to_file=both \
    --decode_hparams=beam_size=2,return_beams=true
sed -n 1p both | grep -qE '^(neg	pos|pos	neg)$'

# Questions with a context are read as question, separator, context.
grep -qF '"context_separator": 2' data/babi_qa_concat_task1_1k.manifest.json
t2t-trainer --problem=babi_qa_concat_task1_1k --data_dir=data --output_dir=babi --model=transformer_encoder \
    --hparams_set=transformer_tiny --hparams=hidden_size=32,filter_size=32,num_heads=2,num_hidden_layers=1,batch_size=512 \
    --train_steps=10 --local_eval_frequency=10 --eval_steps=2 2>babi.log || { tail -3 babi.log >&2; exit 1; }
grep -q 'dev: loss .* accuracy ' babi.log
word=$(sed -n 5p "data/$(sed -n 's/.*"file": "\(vocab[^"]*\)".*/\1/p' data/babi_qa_concat_task1_1k.manifest.json | head -n 1)")
printf '%s %s\t%s\n\n' "$word" "$word" "$word" >in
t2t-decoder --quiet --output_dir=babi --data_dir=data --decode_from_file=in --decode_to_file=out
test "$(wc -l <out)" = 2
sed -n 1p out | grep -q .
echo "$word" >in
! t2t-decoder --quiet --output_dir=babi --data_dir=data --decode_from_file=in --decode_to_file=out 2>babi.log
grep -q "'in': line 1: the model reads a question and its context" babi.log

# Yelp: the last class can be trained with zero-based labels only.
make_set zero sentiment_yelp_polarity 2>/dev/null
t2t-datagen --quiet --offline --problem=sentiment_yelp_polarity --zero_based_labels --data_dir=zero_based --tmp_dir=tmp 2>/dev/null
tfrec cat zero_based/sentiment_yelp_polarity-dev-* | grep -qF '"targets":[0]'
tfrec cat data/sentiment_yelp_polarity-dev-* | grep -qF '"targets":[2]'
