# The original's tasks, the line of its README for each with --generate_data from made archives, few steps and a small
# model behind it: images to classes, images that are made, languages, sentiment, speech, summaries.  Translation is in
# command_lines.sh.
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
python3 "$T2_ROOT/tests/support/class_sources.py" tmp
python3 "$T2_ROOT/tests/support/cifar_archives.py" tmp 10
python3 - <<'EOF'
import io, math, os, random, struct, tarfile
r = random.Random(4)
def archive(path, members):
    with tarfile.open(path, "w:gz") as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
archive("tmp/simple-examples.tgz", [
    ("./simple-examples/data/ptb.%s.txt" % part, "".join(
        " %s\n" % " ".join(r.choice("the a cat dog saw ran home tree".split()) for _ in range(9)) for _ in range(n)).encode())
    for part, n in (("train", 300), ("valid", 60), ("test", 60))])
# Files of LibriSpeech are told by their contents: these are WAV.
def wave(n, pitch):
    body = b"".join(struct.pack("<h", int(9000 * math.sin(pitch * k))) for k in range(n))
    return b"RIFF" + struct.pack("<I4s4sIHHIIHH4sI", 36 + len(body), b"WAVE", b"fmt ", 16, 1, 1, 16000, 32000, 2, 16, b"data", len(body)) + body
for i, part in enumerate(("train-clean-100", "train-clean-360", "train-other-500", "dev-clean", "dev-other", "test-clean", "test-other")):
    folder = "tmp/LibriSpeech/%s/%d/7" % (part, 10 + i)
    os.makedirs(folder)
    with open("%s/%d-7.trans.txt" % (folder, 10 + i), "w") as f:
        for k in range(3):
            name = "%d-7-%04d" % (10 + i, k)
            f.write("%s TONE %s\n" % (name, "ABC"[k]))
            open("%s/%s.flac" % (folder, name), "wb").write(wave(2400 + 800 * k, 0.03 * (k + 1)))
EOF
n=0
runs() { # line: trains, and the data are there
    n=$((n + 1))
    eval "$* --data_dir=data --output_dir=run/$n --tmp_dir=tmp --train_steps=2 --eval_steps=1" >out 2>log </dev/null ||
        { echo "exit code $? of: $*" >&2; tail -n 5 log >&2; exit 1; }
    [ -s "run/$n/model-2.safetensors" ]
    grep -q '"kind": "eval"' "run/$n/metrics.jsonl"
}
small=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,batch_size=256
runs "t2t-trainer --generate_data --problem=image_cifar10 --model=shake_shake --hparams_set=shakeshake_big \
    --hparams=batch_size=2,hidden_size=16"
runs "t2t-trainer --generate_data --problem=image_cifar10_plain_gen_rev --model=imagetransformer \
    --hparams_set=imagetransformer_cifar10_base --hparams=batch_size=1,hidden_size=8,filter_size=8,num_heads=2,num_decoder_layers=1"
grep -q bits_per_dim "run/$n/metrics.jsonl"
runs "t2t-trainer --generate_data --problem=languagemodel_ptb10k --model=transformer --hparams_set=transformer_small --hparams=$small"
grep -q word_perplexity "run/$n/metrics.jsonl"
runs "t2t-trainer --generate_data --problem=sentiment_imdb --model=transformer_encoder --hparams_set=transformer_tiny --hparams=$small,max_length=0"
runs "t2t-trainer --generate_data --problem=summarize_cnn_dailymail32k --model=transformer --hparams_set=transformer_prepend \
    --hparams=$small,max_length=0"
if t2t-datagen --version | grep -q 'libsndfile\.so'; then
    runs "t2t-trainer --generate_data --problem=librispeech --model=transformer --hparams_set=transformer_librispeech \
        --hparams=hidden_size=16,filter_size=16,num_encoder_layers=1,num_decoder_layers=1"
    grep -q word_error_rate "run/$n/metrics.jsonl"
fi

# Captions, with the original's model; another kind of model is refused by a reason.
python3 "$T2_ROOT/tests/support/image_sources.py" coco 23
seq 3000 | awk '{ print "word" $1 % 977, "dog", "tree" $1 % 31 }' >text
t2t-vocab build --quiet --target_size=600 --output=data/vocab.translate_ende_wmt32k.32768.subwords text
t2t-datagen --quiet --problem=image_ms_coco_tokens32k --data_dir=data --tmp_dir=coco 2>/dev/null
runs "t2t-trainer --problem=image_ms_coco_tokens32k --model=slice_net --hparams_set=slicenet_1tiny \
    --hparams=image_size=12,hidden_size=32,num_hidden_layers=1"
code=0
t2t-trainer --problem=image_ms_coco_tokens32k --data_dir=data --output_dir=none --model=transformer \
    --hparams_set=transformer_tiny --hparams=max_length=0,batch_size=4096 --train_steps=1 2>log || code=$?
[ "$code" = 1 ] && grep -q 'does not describe images' log && [ ! -e none ]
