# Images in class folders become records, a trained model, and the classes of new images; straight and
# continued runs, one and two threads give the same bits; what is wrong is said.
. "$T2_ROOT/tests/e2e/train_common.subr"

python3 - <<'EOF'
import os, random, struct
colours = {"blue": (200, 60, 60), "green": (40, 200, 60), "red": (40, 60, 200)}  # BGR, as BMP has them
def bmp(side, colour, r):
    row = b"".join(bytes(max(0, min(255, c + r.randrange(-40, 41))) for c in colour) for _ in range(side))
    row += b"\0" * (-len(row) % 4)
    body = row * side
    return b"BM" + struct.pack("<IHHI", 54 + len(body), 0, 0, 54) + struct.pack("<IiiHHIIiiII", 60, side, side, 1, 24, 0, len(body), 2835, 2835, 0, 0) + body
r = random.Random(1)
for name, colour in colours.items():
    for folder, n in (("shots/%s" % name, 30), ("new/%s" % name, 4)):
        os.makedirs(folder, exist_ok=True)
        for i in range(n):
            with open("%s/%02d.bmp" % (folder, i), "wb") as f:
                f.write(bmp(r.randrange(24, 60), colour, r))
EOF
jpeg-to-tfrecord --quiet --image_dir=shots --validation_percent=20 --reencode=odd --output_dir=data >/dev/null

set_of='--hparams_set=record_net_small --model=record_net --local_eval_frequency=20'
hp='learning_rate_constant=0.1,image_size=20,batch_size=16,filter_sizes=[8,16,16],learning_rate_warmup_steps=10,learning_rate_decay_steps=50'
run() { # OUTPUT_DIR STEPS [flags]
    (become_run "$@")
}
become_run() {
    out=$1 steps=$2
    shift 2
    # shellcheck disable=SC2086
    exec t2t-trainer --problem=pictures --data_dir=data --output_dir="$out" --train_steps="$steps" $set_of --hparams="$hp" \
        --log_step_count_steps=10 "$@" 2>>"$out.log"
}
run straight 60 --num_threads=1
run parts 60 --num_threads=2
cmp straight/model-60.safetensors parts/model-60.safetensors
cmp straight/optimizer-60.safetensors parts/optimizer-60.safetensors
[ "$(tfrec events --tag='t2t/inputs/image/*' straight/eval | grep -c 'image')" -ge 6 ] || { echo "no images in the events" >&2; exit 1; }
become_run stopped 60 --num_threads=2 &
while ! [ -f stopped/model-20.safetensors ]; do kill -0 $! || break; sleep 0.05; done
kill -TERM $! 2>/dev/null || true
wait $! || true
run stopped 60
cmp straight/model-60.safetensors stopped/model-60.safetensors
grep -q 'images of 20 x 20 x 3 (photos) to 3 classes' straight.log
grep -q 'images/s  stall' straight.log

# every image is evaluated once, though they fill no batch
dev=$(sed -n '/"validation"/,/}/s/.*"records": \([0-9]*\).*/\1/p' data/pictures.manifest.json | head -n 1)
t2t-trainer --data_dir=data --output_dir=straight --schedule=evaluate 2>/dev/null >evaluated
grep -qF "images = $dev" evaluated
t2t-trainer --data_dir=data --output_dir=straight --dry_run --train_steps=50 2>/dev/null | grep -q 'images/s'

# new images: a folder, a list, one, a shard; as lines, as JSON, on a page
decode() { t2t-decoder --output_dir=straight --data_dir=data "$@" 2>>decode.log; }
decode --decode_from_file=new --contact_sheet=page.png >lines
[ "$(wc -l <lines)" = 12 ]
[ "$(cut -f 2 lines | sort -u | tr '\n' ' ')" = 'blue green red ' ]
awk -F'\t' '{ split($1, p, "/"); if (p[2] != $2 || $3 <= 0.4 || $3 > 1) { print "wrong: " $0; exit 1 } }' lines
grep -q '12 of 12 whose class is known are right: 100.00 %' decode.log
[ "$(head -c 4 page.png | tail -c 3)" = PNG ]
find new -name '*.bmp' | sort >list
decode --decode_from_file=list --decode_to_file=lines.2 --decode_hparams=batch_size=5
cmp lines lines.2
# each as a file, as decoding.log_decode_results has them; a JPEG keeps its bytes
decode --decode_from_file=list --decode_to_file=lines.3 --decode_hparams=batch_size=5,save_images=true
cmp lines lines.3
[ "$(ls straight/decode_00000 | wc -l)" = 12 ]
decode --decode_from_file=straight/decode_00000/pictures_prediction_11.jpg --decode_hparams=save_images=true >lines.3
[ "$(cut -f 2 lines.3)" = "$(tail -n 1 lines | cut -f 2)" ]
cmp straight/decode_00000/pictures_prediction_0.jpg straight/decode_00000/pictures_prediction_11.jpg
[ "$(decode --decode_from_file=new/red/00.bmp)" = "$(tail -n 4 lines | head -n 1)" ]
decode --decode_from_file=new --json | head -n 1 >first.json
python3 - <<'EOF'
import json
line = json.load(open("first.json"))
assert line["file"] == "new/blue/00.bmp" and line["class"] == line["truth"] == "blue" and line["label"] == 0, line
assert [t["probability"] for t in line["top"]] == sorted((t["probability"] for t in line["top"]), reverse=True)
assert abs(sum(t["probability"] for t in line["top"]) - 1) < 1e-6
EOF
[ "$(decode --decode_from_file=data/validation-00000-of-00001 | wc -l)" = "$dev" ]

# what is wrong
head -c 300 new/red/01.bmp >new/red/cut.bmp
echo 'no image' >new/readme.txt
decode --decode_from_file=new >lines.3
cmp lines lines.3
grep -q "'new/red/cut.bmp': .*; left out" decode.log
grep -q "'new/readme.txt' is no image that can be decoded" decode.log
mkdir empty
fails 1 decode --decode_from_file=empty
says decode.log "'empty': no images there"
fails 2 decode --decode_interactive
says decode.log "'pictures' is of images: --decode_from_file is an image, a folder, a list or a shard"
mkdir wrong
fails 1 t2t-trainer --problem=pictures --data_dir=data --output_dir=wrong/a --model=record_net --hparams_set=record_net --train_steps=2 2>wrong.log
says wrong.log "but the model's are 32 x 32 and pipeline 'record' resizes none (hparams image_size, image_pipeline)"
fails 2 run wrong/b 2 --hparams=image_pipeline=photo
says wrong/b.log 'hparam image_pipeline=photo is unknown; there are'
fails 1 t2t-trainer --problem=pictures --data_dir=data --output_dir=wrong/c --model=transformer --hparams_set=transformer_tiny \
    --train_steps=2 2>wrong.log
says wrong.log "model 'transformer' does not look at images; resnet, for one, does"

# own images under an own name, by t2t-datagen
t2t-datagen --quiet --name=colours --image_dir=shots --dev_percent=20 --data_dir=own --tmp_dir=tmp >/dev/null 2>&1
# shellcheck disable=SC2086
t2t-trainer --problem=colours --data_dir=own --output_dir=named --train_steps=60 $set_of --hparams="$hp" 2>named.log
t2t-decoder --output_dir=named --data_dir=own --decode_from_file=list 2>/dev/null | cut -f 2 | sort | uniq -c >named.classes
[ "$(wc -l <named.classes)" = 3 ]
