# t2t-decoder --serve with a model of images: base64 images in the forms of the ResNet and flowers tutorials get the
# classes and probabilities of --decode_from_file, whatever batch they are in; what is no image is refused.
. "$T2_ROOT/tests/e2e/train_common.subr"
. "$T2_ROOT/tests/e2e/serve_common.subr"
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }

python3 - <<'END'
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
END
jpeg-to-tfrecord --quiet --image_dir=shots --validation_percent=20 --output_dir=data >/dev/null
train_images() { # STEPS
    t2t-trainer --quiet --problem=pictures --data_dir=data --output_dir=run --train_steps="$1" --hparams_set=record_net_small \
        --model=record_net --hparams='learning_rate_constant=0.1,image_size=20,batch_size=16,filter_sizes=[8,16,16]'
}
train_images 20
t2t-decoder --quiet --output_dir=run --data_dir=data --decode_from_file=new --json >want

serve --output_dir=run --data_dir=data --decode_hparams=batch_size=4 --serve_name=flowers --serve_body=100000
predict=${url}v1/models/flowers:predict
encode() { base64 -w 0 "$1"; }
clients=
for f in new/*/*; do
    name=$(echo "${f#new/}" | tr / .)
    printf '{"instances": [{"image_bytes": {"b64": "%s"}}]}' "$(encode "$f")" >"body.$name"
    curl -sS --max-time 120 -o "answer.$name" --data-binary "@body.$name" "$predict" &
    clients="$clients $!"
done
for p in $clients; do
    wait "$p"
done
first=new/blue/00.bmp second=new/red/03.bmp third=new/green/01.bmp
printf '{"instances": [{"b64": "%s"}, {"b64": "%s"}, {"input": {"b64": "%s"}}]}' "$(encode $first)" "$(encode $second)" "$(encode $third)" >rows
answers 200 --data-binary @rows "$predict"
mv answer rows.answer
printf '{"signature_name": "classify", "inputs": [{"b64": "%s"}, {"b64": "%s"}]}' "$(encode $first)" "$(encode $second)" >columns
answers 200 --data-binary @columns "$predict"
mv answer columns.answer
printf '{"examples": [{"image/encoded": {"b64": "%s"}}, {"image_bytes": {"b64": "%s"}}]}' "$(encode $first)" "$(encode $second)" >examples
answers 200 --data-binary @examples "${url}v1/models/flowers:classify"
mv answer examples.answer
cat >compare.py <<'END'
import json
want = {}
for line in open("want"):
    o = json.loads(line)
    want["/".join(o["file"].split("/")[-2:])] = o
def same(p, name):
    w = want[name]
    assert p["class"] == w["class"] and p["classes"] == p["classid"] == w["label"], (p, w)
    assert abs(sum(p["probabilities"]) - 1) < 1e-6 and len(p["probabilities"]) == 3, p
    for t in w["top"]:
        assert abs(p["probabilities"][t["label"]] - t["probability"]) < 1e-6, (p, w)
for name in want:
    same(json.load(open("answer." + name.replace("/", ".")))["predictions"][0], name)
names = ["blue/00.bmp", "red/03.bmp", "green/01.bmp"]
for p, name in zip(json.load(open("rows.answer"))["predictions"], names):
    same(p, name)
columns = json.load(open("columns.answer"))["outputs"]
assert len(columns["class"]) == 2
for i in range(2):
    same({k: v[i] for k, v in columns.items()}, names[i])
for pairs, name in zip(json.load(open("examples.answer"))["results"], names):
    best = max(pairs, key=lambda p: p[1])
    assert [p[0] for p in pairs] == ["blue", "green", "red"] and best[0] == want[name]["class"], pairs
    assert abs(best[1] - want[name]["probability"]) < 1e-6
END
python3 compare.py
answers 200 "${url}v1/models/flowers/metadata"
grep -q '"image_bytes"' answer
answers 200 "$url"
grep -q '"images": true' answer

refuses 400 'instance 1: ' -d "{\"instances\": [{\"b64\": \"$(encode $first)\"}, {\"b64\": \"bm8gaW1hZ2U=\"}]}" "$predict"
refuses 400 'instance 0: ' -d '{"instances": [{"b64": ""}]}' "$predict"
refuses 400 'expected {"b64": ...}' -d '{"instances": ["a text"]}' "$predict"
refuses 400 '"examples" is needed' --data-binary @rows "${url}v1/models/flowers:classify"
refuses 400 ':predict and :classify alone' -d '{}' "${url}v1/models/flowers:regress"
head -c 3000 $first | base64 -w 0 >shorter
refuses 400 'instance 0: ' -d "{\"instances\": [{\"b64\": \"$(cat shorter)\"}]}" "$predict"
# 60000 x 60000 pixels in 54 bytes of head
printf 'BM\066\000\000\000\000\000\000\000\066\000\000\000\050\000\000\000\140\352\000\000\140\352\000\000\001\000\030\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000' >bomb
refuses 400 'instance 0: ' -d "{\"instances\": [{\"b64\": \"$(encode bomb)\"}]}" "$predict"
answers 200 --data-binary @rows "$predict"
cmp rows.answer answer

# a newer checkpoint
train_images 30
until answers 200 "${url}v1/models/flowers" && grep -q '"version": "30"' answer; do
    kill -0 $server
    sleep 0.2
done
t2t-decoder --quiet --output_dir=run --data_dir=data --decode_from_file=new --json >want
for f in new/*/*; do
    name=$(echo "${f#new/}" | tr / .)
    answers 200 --data-binary "@body.$name" "$predict"
    mv answer "answer.$name"
done
answers 200 --data-binary @rows "$predict"
mv answer rows.answer
answers 200 --data-binary @columns "$predict"
mv answer columns.answer
answers 200 --data-binary @examples "${url}v1/models/flowers:classify"
mv answer examples.answer
python3 compare.py
stop_server
