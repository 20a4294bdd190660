#!/bin/sh
# scripts/demo_tatoeba.sh - English to German on 169 000 short sentence pairs, Tatoeba, in an hour of two cores.
# `make demo-tatoeba` calls it.
#
# Needs $T2_DATA/tatoeba-en-de/deu-eng.zip, and unzip or python3.  Everything lands in DEMO_DIR
# (build/demo-tatoeba); the same command again continues what was interrupted.
#
# The split, since the corpus has none: an English sentence with all its translations is in one part, chosen
# by a hash of its bytes: 1 of 100 for the test, 1 of 100 for dev.  Of these the first translation of a
# sentence counts.  Pairs of train whose German is in dev or test are left out: no side of a test sentence was
# ever seen.
set -eu

archive=${T2_DATA:-../shared/data}/tatoeba-en-de/deu-eng.zip
dir=${DEMO_DIR:-build/demo-tatoeba}
steps=${DEMO_STEPS:-4600}
average=${DEMO_AVERAGE:-5}
problem=tatoeba_ende
data=$dir/data
run=$dir/run

if ! [ -f "$archive" ]; then
    echo "demo-tatoeba: no '$archive': set T2_DATA to the folder that holds tatoeba-en-de" >&2
    exit 1
fi
mkdir -p "$dir"
begin=$(date +%s)

say() { printf '\n== %s\n' "$*"; }

say "1/4 data: split, vocabulary and TFRecords ($data)"
if ! [ -f "$dir/split.done" ]; then
    if command -v unzip >/dev/null; then
        unzip -p "$archive" deu.txt
    else
        python3 -c 'import sys, zipfile
sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read("deu.txt"))' "$archive"
    fi >"$dir/deu.txt"
    LC_ALL=C awk -F '\t' -v dir="$dir" '
        function part(s, i, h) {
            for (i = 1; i <= length(s); ++i)
                h = (h * 31 + code[substr(s, i, 1)]) % 1000003
            return h % 100
        }
        BEGIN {
            for (i = 0; i < 256; ++i)
                code[sprintf("%c", i)] = i
        }
        {
            sub(/\r$/, "", $2)
            k = part($1)
            if (k > 1) {
                train[++n] = $1 "\t" $2
                german[n] = $2
            } else {
                held[$2] = 1
                if (!($1 in seen))
                    print $1 "\t" $2 >(dir (k ? "/dev.tsv" : "/test.tsv"))
                seen[$1] = 1
            }
        }
        END {
            for (i = 1; i <= n; ++i)
                if (!(german[i] in held))
                    print train[i] >(dir "/train.tsv")
        }' "$dir/deu.txt"
    rm "$dir/deu.txt"
    cut -f 1 "$dir/test.tsv" >"$dir/test.en"
    cut -f 2 "$dir/test.tsv" >"$dir/test.de"
    : >"$dir/split.done"
fi
t2t-datagen --name=$problem --vocab_size=8000 --data_dir="$data" --verbosity=warning \
    --train="$dir/train.tsv" --dev="$dir/dev.tsv"

say "2/4 training: $steps steps ($run)"
hparams=batch_size=4096,max_length=100,hidden_size=256,filter_size=1024,num_hidden_layers=3,num_heads=4
hparams=$hparams,layer_prepostprocess_dropout=0.2,attention_dropout=0.1,relu_dropout=0.1
hparams=$hparams,learning_rate_constant=2.0,learning_rate_warmup_steps=2000,optimizer_adam_beta2=0.98
t2t-trainer --problem=$problem --data_dir="$data" --output_dir="$run" \
    --model=transformer --hparams_set=transformer_tiny --hparams="$hparams" \
    --train_steps="$steps" --local_eval_frequency=500 --keep_checkpoint_max="$average"

say "3/4 translating the test sentences with the average of the last $average checkpoints"
t2t-decoder --problem=$problem --data_dir="$data" --output_dir="$run" \
    --average_checkpoints="$average" --decode_hparams='beam_size=4,alpha=0.6' \
    --decode_from_file="$dir/test.en" --decode_to_file="$dir/test.translated.de"

say "4/4 scoring $(wc -l <"$dir/test.en") sentences"
t2t-bleu --translation="$dir/test.translated.de" --reference="$dir/test.de" --scorer=sacrebleu
rate=$(sed -n 's/.*"target_tokens_per_s": *\([0-9.]*\).*/\1/p' "$run/metrics.jsonl" |
    sort -n | awk '{ a[NR] = $1 } END { printf "%.0f", a[int((NR + 1) / 2)] }')
printf '%s steps, %s target tokens/s (median), this run took %s s\n' "$steps" "$rate" \
    "$(($(date +%s) - begin))"
