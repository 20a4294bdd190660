#!/bin/sh
# scripts/demo_summaries.sh - summaries, from stories to ROUGE.  `make demo-summaries` calls it.
#
# STORIES is a folder of files *.story as those of CNN and the Daily Mail: paragraphs, then "@highlight" in front of
# each sentence of the summary.  Without it stories of a small grammar are written, six sentences each, of which the
# one that begins with "breaking" is the summary.  Everything lands in DEMO_DIR (build/demo-summaries); the same
# command again continues what was interrupted.
set -eu

dir=${DEMO_DIR:-build/demo-summaries}
stories=${STORIES:-$dir/stories}
steps=${DEMO_STEPS:-500}
if [ -n "${STORIES:-}" ]; then
    settings=${DEMO_HPARAMS:-batch_size=4096,max_length=512,max_input_seq_length=400,max_target_seq_length=100}
else
    settings=hidden_size=64,filter_size=128,num_heads=4,num_hidden_layers=2,batch_size=3000,layer_prepostprocess_dropout=0.0
    settings=$settings,learning_rate_schedule=constant,learning_rate_constant=0.002
fi

say() { printf '\n== %s\n' "$*"; }

mkdir -p "$dir"
if [ ! -d "$stories" ]; then
    say "1/5 stories: written to $stories"
    mkdir -p "$stories.new"
    awk -v dir="$stories.new" '
        function draw(m) {
            seed = (seed * 16807) % 2147483647
            return int(seed / 1000) % m
        }
        BEGIN {
            seed = 5
            n_who = split("anna ben carl dora emil fred gina hugo", who)
            n_did = split("found lost bought sold hid", did)
            n_what = split("letter boat horse lamp key clock", what)
            n_where = split("garden harbour station market", where)
            for (i = 1; i <= 3000; i++) {
                file = sprintf("%s/%04d.story", dir, i)
                news = draw(6)
                for (k = 0; k < 6; k++) {
                    sentence = who[1 + draw(n_who)] " " did[1 + draw(n_did)] " a " what[1 + draw(n_what)]
                    if (k == news)
                        highlight = sentence
                    print (k == news ? "breaking : " : "") sentence " in the " where[1 + draw(n_where)] " ." >file
                }
                printf "\n@highlight\n\n%s\n", highlight >file
                close(file)
            }
        }'
    mv "$stories.new" "$stories"
fi

say "2/5 pairs: a line for each story, TAB, its summary ($dir/all.tsv)"
find "$stories" -name '*.story' | sort | while read -r file; do
    awk '
        /^@highlight/ { is_summary = 1; next }
        NF == 0 { next }
        { gsub(/\t/, " "); sub(/\r$/, "") }
        is_summary { summary = summary (summary == "" ? "" : " ") $0; next }
        { text = text (text == "" ? "" : " ") $0 }
        END { if (text != "" && summary != "") printf "%s\t%s\n", text, summary }' "$file"
done >"$dir/all.tsv"
[ -s "$dir/all.tsv" ] || { echo "demo-summaries: no story with a highlight in '$stories'" >&2; exit 1; }
awk -v dir="$dir" '{ print >(dir "/" (NR % 20 == 0 ? "test" : NR % 20 == 1 ? "dev" : "train") ".tsv") }' "$dir/all.tsv"
wc -l "$dir/train.tsv" "$dir/dev.tsv" "$dir/test.tsv"

say "3/5 t2t-datagen: vocabulary and records ($dir/data)"
t2t-datagen --name=stories --train="$dir/train.tsv" --dev="$dir/dev.tsv" --tsv=1,2 \
    --vocab_size="${DEMO_VOCAB:-400}" --train_shards=2 --data_dir="$dir/data" --quiet

say "4/5 t2t-trainer: $steps steps; inputs in front of the summary, one Transformer decoder for both ($dir/run)"
t2t-trainer --problem=stories --data_dir="$dir/data" --output_dir="$dir/run" --model=transformer \
    --hparams_set=transformer_prepend --hparams="$settings" --train_steps="$steps" --eval_steps=20 \
    --local_eval_frequency="$steps" ${DEMO_REMAT:+--remat=layer}

say "5/5 t2t-decoder and ROUGE: summaries of stories that were not seen, with and without repeated n-grams"
cut -f1 "$dir/test.tsv" >"$dir/test.txt"
cut -f2 "$dir/test.tsv" >"$dir/test.ref"
for n in 0 3; do
    t2t-decoder --quiet --data_dir="$dir/data" --output_dir="$dir/run" --decode_from_file="$dir/test.txt" \
        --decode_to_file="$dir/test.out.$n" --decode_hparams="beam_size=4,extra_length=${DEMO_LENGTH:-30},no_repeat_ngram_size=$n"
    echo "no_repeat_ngram_size=$n ($dir/test.out.$n)"
    t2t-bleu --scorer=rouge --translation="$dir/test.out.$n" --reference="$dir/test.ref"
done
