#!/bin/sh
# scripts/demo_by_heart.sh - are speech data and settings sound?  A few utterances are learned by heart and heard
# without an error, in minutes of two cores.  `make demo-by-heart` calls it.
#
# A model of speech learns nothing for a while, then all at once; of hours of recordings that while takes hours.  Of
# four utterances, without dropout, it takes minutes, and where their error rate stays above zero something is wrong
# that more training does not mend.
#
# SPEECH: a table of a few utterances (sound file, tab, text); without it the four of $T2_DATA/librispeech-sample.
# Everything lands in DEMO_DIR (build/demo-by-heart); the same command again continues what was interrupted.
set -eu

sample=${T2_DATA:-../shared/data}/librispeech-sample/LibriSpeech
dir=${DEMO_DIR:-build/demo-by-heart}
steps=${DEMO_STEPS:-600}
table=${SPEECH:-$dir/said.tsv}
begin=$(date +%s)

say() { printf '\n== %s\n' "$*"; }

for library in libsndfile libsamplerate; do
    if ! t2t-datagen --version | grep -q "$library\.so"; then
        echo "demo-by-heart: skipped: no $library (apt-get install libsndfile1 libsamplerate0)"
        exit 0
    fi
done
if [ -z "${SPEECH:-}" ]; then
    if ! [ -d "$sample" ]; then
        echo "demo-by-heart: no '$sample': set SPEECH to a table of recordings and their texts, or T2_DATA to the" \
            "folder that holds librispeech-sample" >&2
        exit 1
    fi
    mkdir -p "$dir/sounds"
    find "$sample" -name '*.flac' -exec cp {} "$dir/sounds" \;
    find "$sample" -name '*.trans.txt' -exec awk 1 {} + | sort | sed 's|^\([^ ]*\) |sounds/\1.flac	|' >"$table"
fi

say "1/3 records of $table ($dir/data)"
mkdir -p "$dir"
cat "$table"
t2t-datagen --quiet --kind=speech --name=by_heart --train="$table" --dev="$table" --num_shards=1 \
    --data_dir="$dir/data"

say "2/3 training: $steps steps ($dir/run)"
t2t-trainer --problem=by_heart --data_dir="$dir/data" --output_dir="$dir/run" --model=transformer \
    --hparams_set=transformer_librispeech --train_steps="$steps" --local_eval_frequency="$steps" \
    --log_step_count_steps=50 --hparams="hidden_size=128,filter_size=256,num_encoder_layers=2,\
num_decoder_layers=2,layer_prepostprocess_dropout=0,relu_dropout=0,attention_dropout=0,label_smoothing=0,\
learning_rate_warmup_steps=100,learning_rate_constant=0.15"

say "3/3 the same utterances: what is heard ($dir/heard.txt)"
t2t-decoder --data_dir="$dir/data" --output_dir="$dir/run" --decode_from_file="$table" \
    --decode_to_file="$dir/heard.txt" --decode_hparams=beam_size=1,extra_length=100 --verbosity=warning
cut -f2 "$table" >"$dir/said.txt"
cat "$dir/heard.txt"
t2t-bleu --scorer=wer --translation="$dir/heard.txt" --reference="$dir/said.txt"
echo "$steps steps, this run took $(($(date +%s) - begin)) s"
