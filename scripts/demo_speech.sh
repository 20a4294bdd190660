#!/bin/sh
# scripts/demo_speech.sh - speech to text, from recordings and their transcripts to the words of new ones.
# `make demo-speech` calls it.
#
# espeak-ng speaks words, phrases and sentences of a small grammar in eight voices; two more voices, and sentences
# that were not spoken before, are the test.  Everything lands in DEMO_DIR (build/demo-speech); the same command
# again continues what was interrupted.
set -eu

dir=${DEMO_DIR:-build/demo-speech}
steps=${DEMO_STEPS:-1000}
begin=$(date +%s)

say() { printf '\n== %s\n' "$*"; }

if ! command -v espeak-ng >/dev/null; then
    echo "demo-speech: skipped: espeak-ng, which speaks the sentences, is not there (apt-get install espeak-ng)"
    exit 0
fi
for library in libsndfile libsamplerate; do
    if ! t2t-datagen --version | grep -q "$library\.so"; then
        echo "demo-speech: skipped: no $library (apt-get install libsndfile1 libsamplerate0)"
        exit 0
    fi
done

# Lines "file TAB voice TAB speed TAB pitch TAB words".  A sentence has four choices; where they add up to a
# multiple of 8 it is new, and only the test has it.  Six of ten of the others are parts of sentences: in a word
# by itself there is nothing to guess it by but its sound.
plan() { # name, n, seed, is it new, voices
    awk -v name="$1" -v n="$2" -v seed="$3" -v is_new="$4" -v voices="$5" '
        function draw(m) {
            seed = (seed * 16807) % 2147483647
            return int(seed / 1000) % m
        }
        function part(kind, v, c, t, p) {
            if (kind <= 1) {
                kind = draw(4)
                return kind == 0 ? v : kind == 1 ? c : kind == 2 ? t : p
            }
            return kind == 2 ? c " " t : kind == 3 ? "by the " p : kind == 4 ? v " the " t : "the " c " " t
        }
        BEGIN {
            split("put take bring show", verb)
            split("red green blue black white", colour)
            split("cup book lamp box key", thing)
            split("table chair door window", place)
            n_voices = split(voices, voice)
            while (i < n) {
                v = draw(4); c = draw(5); t = draw(5); p = draw(4)
                kind = is_new ? 9 : draw(10)
                if (kind >= 6 && ((v + c + t + p) % 8 == 0) != is_new)
                    continue
                words = kind < 6 ? part(kind, verb[v + 1], colour[c + 1], thing[t + 1], place[p + 1]) \
                    : verb[v + 1] " the " colour[c + 1] " " thing[t + 1] " by the " place[p + 1]
                printf "%s%04d.wav\t%s\t%d\t%d\t%s\n", name, ++i, voice[1 + draw(n_voices)],
                    160 + draw(40), 35 + draw(30), words
            }
        }'
}

speak() { # plan, table
    mkdir -p "$dir/sounds"
    while IFS="$(printf '\t')" read -r file voice speed pitch words; do
        [ -s "$dir/sounds/$file" ] ||
            espeak-ng -v "$voice" -s "$speed" -p "$pitch" -w "$dir/sounds/$file" "$words" </dev/null
        printf 'sounds/%s\t%s\n' "$file" "$words"
    done <"$1" >"$2"
}

say "1/4 sounds: espeak-ng speaks ($dir/sounds)"
mkdir -p "$dir"
plan train "${DEMO_SENTENCES:-1500}" 1 0 \
    "en-us+m1 en-us+m2 en-us+m3 en-us+m4 en-us+f1 en-us+f2 en-us+f3 en-gb" >"$dir/train.plan"
plan new 100 2 1 "en-us+m5 en-us+f4" >"$dir/new.plan"
speak "$dir/train.plan" "$dir/train.tsv"
speak "$dir/new.plan" "$dir/new.tsv"
head -n 3 "$dir/train.tsv"

say "2/4 records: waveforms of 16 kHz and the bytes of the texts ($dir/data)"
t2t-datagen --quiet --kind=speech --name=speech_demo --train="$dir/train.tsv" --dev="$dir/new.tsv" \
    --num_shards=4 --data_dir="$dir/data"

# Batches by length (batch_size is frames times bands): what is padded is heard, so rows of a batch should be of
# about one length.  With three times the rate the model never listens: by the time its ears have learned
# something, what writes has learned to do without them.
say "3/4 training: $steps steps ($dir/run)"
echo "To be expected: 20 minutes of processor time on a Zen 3, ten of two cores.  Such a model learns to write"
echo "sentences first, without the sounds (word_error_rate of lines \"dev\" stays at 0.45); then, at some 400 steps,"
echo "it listens, and the rate falls.  That data and settings are sound, make demo-by-heart shows in minutes."
echo "Ctrl-C stops; the same command goes on."
t2t-trainer --problem=speech_demo --data_dir="$dir/data" --output_dir="$dir/run" --model=transformer \
    --hparams_set=transformer_librispeech --train_steps="$steps" --local_eval_frequency=250 \
    --log_step_count_steps=50 --hparams="hidden_size=128,filter_size=256,num_encoder_layers=2,\
num_decoder_layers=2,batch_size=500000,learning_rate_schedule=constant*linear_warmup,\
learning_rate_constant=0.0004,learning_rate_warmup_steps=100,label_smoothing=0,\
layer_prepostprocess_dropout=0,relu_dropout=0,attention_dropout=0"

say "4/4 new sentences of new voices: what is heard ($dir/heard.txt)"
t2t-decoder --data_dir="$dir/data" --output_dir="$dir/run" --decode_from_file="$dir/new.tsv" \
    --decode_to_file="$dir/heard.txt" --decode_hparams=beam_size=2,extra_length=50 --verbosity=warning
cut -f2 "$dir/new.tsv" >"$dir/said.txt"
head -n 5 "$dir/heard.txt"
t2t-bleu --scorer=wer --translation="$dir/heard.txt" --reference="$dir/said.txt"
echo "$steps steps, this run took $(($(date +%s) - begin)) s"
echo "of your own: t2t-decoder --data_dir=$dir/data --output_dir=$dir/run --decode_from_file=SOUND.wav"
