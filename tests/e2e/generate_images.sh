# Images that a model learns to make: class folders, records, runs of imagetransformer with both likelihoods, bits
# per dimension in the log and in metrics.jsonl, one and two threads the same bits, images drawn to PNG files and a
# page, what does not fit is said.
. "$T2_ROOT/tests/e2e/train_common.subr"

python3 - <<'EOF'
import os, random, struct
def bmp(side, colour, r):
    row = b"".join(bytes(c + r.randrange(0, 3) for c in colour) for _ in range(side))
    row += b"\0" * (-len(row) % 4)
    body = row * side
    return b"BM" + struct.pack("<IHHI", 54 + len(body), 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, side, side, 1, 24, 0, len(body), 2835, 2835, 0, 0) + body
r = random.Random(1)
for name, colour in (("dark", (20, 40, 30)), ("light", (220, 200, 210))):
    os.makedirs("shots/" + name)
    for i in range(20):
        with open("shots/%s/%02d.bmp" % (name, i), "wb") as f:
            f.write(bmp(6, colour, r))
EOF
jpeg-to-tfrecord --quiet --image_dir=shots --validation_percent=20 --reencode=odd --output_dir=data >/dev/null

common='image_size=6,batch_size=4,hidden_size=16,num_heads=2,filter_size=16,unconditional=false,sampling_method=random,learning_rate=0.05,learning_rate_warmup_steps=20'
run() { # OUTPUT_DIR HPARAMS [flags]
    out=$1 hp=$2
    shift 2
    t2t-trainer --problem=pictures_rev --data_dir=data --output_dir="$out" --train_steps=60 --model=imagetransformer \
        --hparams_set=imagetransformer_tiny --hparams="$common,$hp" --log_step_count_steps=20 --local_eval_frequency=30 \
        "$@" 2>"$out.log"
}
run one block_length=27 --num_threads=1
run two block_length=27 --num_threads=2 --eval_metrics=image_rmse --eval_samples=5
cmp one/model-60.safetensors two/model-60.safetensors
run mixture likelihood=dmol,num_channels=1,block_length=9,num_mixtures=3 --eval_metrics=disc_mol_neg_log_perplexity

grep -q 'makes images of 6 x 6 x 3 (t2t_area), 2 classes' one.log
grep -q 'step 60/60 .* bits/dim ' one.log
grep -q 'dev: loss .* bits/dim ' one.log
python3 - <<'EOF'
import json, math
for run in "one", "mixture":
    lines = [json.loads(line) for line in open(run + "/metrics.jsonl")]
    train = [l for l in lines if l["kind"] == "train"]
    evals = [l for l in lines if l["kind"] == "eval"]
    for l in train:
        assert abs(l["bits_per_dim"] * math.log(2) - l["loss_mean"]) < 1e-6 * l["loss_mean"], l
    for l in evals:
        assert abs(l["bits_per_dim"] * math.log(2) - l["loss"]) < 1e-5 * l["loss"], l
    assert evals[-1]["bits_per_dim"] < train[0]["bits_per_dim"], run
    for l in evals:
        assert run == "one" or l["disc_mol_neg_log_perplexity"] == l["neg_log_perplexity"], l
# two colours, some levels about each: dark from light is told by the label alone
rmse = [l["image_rmse"] for l in map(json.loads, open("two/metrics.jsonl")) if l["kind"] == "eval"]
assert len(rmse) > 1 and 0 < rmse[-1] < 30 and rmse[-1] < rmse[0] + 1, rmse
EOF

# samples of each evaluation: the images that the decoder draws, as a page; what is drawn changes nothing
[ -s two/samples-30.png ] && ! cmp -s two/samples-30.png two/samples-60.png
grep -q "step 60  images of the model: 'two/samples-60.png'" two.log
tfrec events --tag='t2t/samples/*' two/eval >events
[ "$(grep -c 'samples/image/0' events)" = 2 ]
t2t-decoder --quiet --output_dir=two --data_dir=data --draw_images=3 --decode_to_file=samples
python3 - <<'EOF'
import struct, zlib
def rows(path):
    data, at, body = open(path, "rb").read(), 8, b""
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            w, h = struct.unpack(">II", data[at + 8:at + 16])
        if kind == b"IDAT":
            body += data[at + 8:at + 8 + n]
        at += 12 + n
    raw, out, last = zlib.decompress(body), [], bytes(3 * w)
    for y in range(h):
        line, f = bytearray(raw[y * (3 * w + 1) + 1:(y + 1) * (3 * w + 1)]), raw[y * (3 * w + 1)]
        for i in range(3 * w):
            a, b, c = line[i - 3] if i > 2 else 0, last[i], last[i - 3] if i > 2 else 0
            p = a + b - c
            paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line[i] = (line[i] + (0, a, b, (a + b) // 2, paeth)[f]) & 255
        last = bytes(line)
        out.append(last)
    return out
page = rows("two/samples-60.png")
# image 0 is of class dark and has number 0, as the decoder's first: 16 pixels of the page for one of it
first = rows("samples/dark-00000.png")
wanted = [b"".join(line[3 * x:3 * x + 3] * 16 for x in range(6)) for line in first]
assert any(wanted[0] in line for line in page), "the decoder's first image is not on the page"
assert sum(any(w in line for line in page) for w in wanted) == 6
EOF

t2t-decoder --quiet --output_dir=one --data_dir=data --draw_images=3 --decode_to_file=made --contact_sheet=page.png
t2t-decoder --quiet --output_dir=one --data_dir=data --draw_images=3 --decode_to_file=again \
    --decode_hparams=batch_size=2
[ "$(find made -name '*.png' | wc -l)" = 6 ]
diff -r made again
t2t-decoder --quiet --output_dir=one --data_dir=data --draw_images=3 --decode_to_file=other --random_seed=9
! diff -rq made other >/dev/null
t2t-decoder --quiet --output_dir=mixture --data_dir=data --draw_images=2 --contact_sheet=mixture.png
[ -s page.png ] && [ -s mixture.png ]

refused() { # WORDS COMMAND...
    words=$1
    shift
    if "$@" 2>refused.log; then
        echo "not refused: $*" >&2
        exit 1
    fi
    grep -q -- "$words" refused.log || { cat refused.log >&2; exit 1; }
}
refused 'does, and needs it' t2t-decoder --output_dir=one --data_dir=data --decode_from_file=made
refused 'needs --decode_to_file=FOLDER' t2t-decoder --output_dir=one --data_dir=data --draw_images=2
refused 'excludes --decode_from_file' t2t-decoder --output_dir=one --data_dir=data --draw_images=2 --decode_from_file=x
! run no block_length=27 --eval_samples=257
grep -q 'a page has up to 256 images' no.log
! run no block_length=27,q_filter_width=3,kv_filter_width=3 --eval_samples=2
grep -q 'eval_samples: images are not drawn with q_filter_width' no.log
refused 'makes no images' t2t-trainer --problem=pictures_rev --data_dir=data --output_dir=no --model=resnet \
    --hparams_set=resnet_cifar_15 --train_steps=1
refused 'needs a problem of them' t2t-trainer --problem=pictures --data_dir=data --output_dir=no \
    --model=imagetransformer --hparams_set=imagetransformer_tiny --train_steps=1
