#!/bin/sh
# Speech on the road to a sound training: a few utterances are learned by heart and heard again, without an error.
#
#   bench/speech_by_heart.sh FOLDER [OUTPUT]
#
# FOLDER has utterances in LibriSpeech's layout (*.trans.txt beside ID.flac), four or so.  The programs are those on
# the PATH, else build/release/bin.  Prints word and character error rates and the processor's time of the training,
# and fails where there is an error left, or where that time is above twenty minutes: ten of two cores.
set -eu

folder=${1:?usage: bench/speech_by_heart.sh FOLDER [OUTPUT]}
out=${2:-build/speech-by-heart}
root=$(cd "$(dirname "$0")/.." && pwd)
command -v t2t-trainer >/dev/null || PATH=$root/build/release/bin:$PATH

mkdir -p "$out"
t2t-datagen --quiet --kind=speech --name=by_heart --train="$folder" --dev="$folder" --num_shards=1 --data_dir="$out/data"
hparams=hidden_size=128,filter_size=256,num_encoder_layers=2,num_decoder_layers=2,batch_size=2000000
hparams=$hparams,layer_prepostprocess_dropout=0,relu_dropout=0,attention_dropout=0,label_smoothing=0
hparams=$hparams,learning_rate_warmup_steps=100,learning_rate_constant=0.15
before=$(times | tail -n 1)
t2t-trainer --quiet --problem=by_heart --data_dir="$out/data" --output_dir="$out/run" --model=transformer \
    --hparams_set=transformer_librispeech --train_steps="${STEPS:-600}" --local_eval_frequency=100000 --hparams="$hparams"
after=$(times | tail -n 1)

# "file TAB text" of every utterance
find "$folder" -name '*.trans.txt' | sort | while read -r list; do
    while read -r id text; do
        printf '%s/%s.flac\t%s\n' "$(cd "$(dirname "$list")" && pwd)" "$id" "$text"
    done <"$list"
done >"$out/all.tsv"
t2t-decoder --data_dir="$out/data" --output_dir="$out/run" --decode_from_file="$out/all.tsv" \
    --decode_to_file="$out/heard.txt" --decode_hparams=beam_size=1 2>&1 | tee "$out/said"
cat "$out/heard.txt"
printf '%s\n%s\n' "$before" "$after" | awk '
    { n = split($0, t, /[ms ]+/); now = t[1] * 60 + t[2] + t[3] * 60 + t[4]; if (NR == 1) first = now }
    END { printf "%.0f s of processor time\n", now - first; exit now - first > 1200 }'
cut -f2 "$out/all.tsv" | cmp - "$out/heard.txt"
echo "all are heard without an error"
