# Speech from recordings to text: a table of sounds becomes a data set, a small model is trained and evaluated on it,
# continues, and t2t-decoder hears files, the same text each time.
t2t-datagen --version | grep -q 'libsndfile\.so' || { echo "no libsndfile" >&2; exit 77; }
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
python3 - <<'END'
import math, struct, wave
with open("list.tsv", "w") as f:
    for i in range(6):
        n = 1600 * (2 + i)
        with wave.open(f"s{i}.wav", "wb") as w:
            w.setnchannels(1); w.setsampwidth(2); w.setframerate(16000)
            w.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(0.02 * (i + 3) * k))) for k in range(n)))
        f.write(f"s{i}.wav\ttone {i}\n")
END
t2t-datagen --quiet --kind=speech --name=tones --train=list.tsv --dev=list.tsv --data_dir=data --num_shards=2 2>/dev/null
t2t-datagen --quiet --check=data
small=hidden_size=16,filter_size=16,num_encoder_layers=1,num_decoder_layers=1,use_fixed_batch_size=true,batch_size=3
train() {
    t2t-trainer --quiet --problem=tones --data_dir=data --output_dir=run --model=transformer --eval_samples=2 \
        --hparams_set=transformer_librispeech --hparams="$small" --eval_steps=2 --train_steps="$1"
}
train 2
train 4
[ -f run/state-4.json ]
hear() {
    t2t-decoder --quiet --data_dir=data --output_dir=run --decode_from_file="$1" --decode_to_file="$2" \
        --decode_hparams=beam_size=2,extra_length=4
}
hear list.tsv one
hear list.tsv two
cmp one two
[ "$(wc -l <one)" -eq 6 ]
hear s3.wav alone
sed -n 4p one | cmp - alone
