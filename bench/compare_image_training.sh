#!/usr/bin/env bash
# A small Image Transformer trained by the real Tensor2Tensor and by t2t-trainer on the same records, from the same
# initial values, for as many steps: bits per dimension of the same held-out images at each evaluation, and the mean of
# the last three side by side.  Fails where these are more than 1 % apart.
#
#   T2_VENV_T2T=<folder of a Python 3.7 with tensor2tensor 1.15.7> bench/compare_image_training.sh [STEPS [WORK]]
#   T2_DATA: its cifar10-jpeg-folders are the images (500), put into an archive like CIFAR-10's
#   WORK: a folder that is kept, where both runs continue
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${T2_BIN:-$root/build/release/bin}
data=${T2_DATA:-$root/../shared/data}
[ -n "${T2_VENV_T2T:-}" ] || { echo "T2_VENV_T2T is not set: no Tensor2Tensor to compare with" >&2; exit 77; }
[ -d "$data/cifar10-jpeg-folders" ] || { echo "no cifar10-jpeg-folders in T2_DATA" >&2; exit 77; }
steps=${1:-200} every=$((${1:-200} / 5))
if [ -n "${2:-}" ]; then
    work=$2
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work/tmp"
"$T2_VENV_T2T/bin/python" - "$data/cifar10-jpeg-folders" "$work/tmp" <<'END'
import io, os, pickle, sys, tarfile
import numpy as np
from PIL import Image
folder, out = sys.argv[1:]
names = sorted(os.path.join(d, f) for d, _, files in os.walk(folder) for f in files if f.endswith((".jpg", ".jpeg", ".JPEG", ".png")))
classes = sorted({os.path.basename(os.path.dirname(n)) for n in names})
rows = [(np.asarray(Image.open(n).convert("RGB")).transpose(2, 0, 1).reshape(-1), classes.index(os.path.basename(os.path.dirname(n)))) for n in names]
order = np.random.RandomState(1).permutation(len(rows))
parts = np.array_split(order, 6)  # five of training, one of test
with tarfile.open(os.path.join(out, "cifar-10-python.tar.gz"), "w:gz") as tar:
    for part, name in zip(parts, ["data_batch_%d" % i for i in range(1, 6)] + ["test_batch"]):
        body = pickle.dumps({"data": np.stack([rows[i][0] for i in part]), "labels": [rows[i][1] for i in part]}, protocol=2)
        info = tarfile.TarInfo("cifar-10-batches-py/" + name)
        info.size = len(body)
        tar.addfile(info, io.BytesIO(body))
END
[ -d "$work/data" ] || "$bin/t2t-datagen" --quiet --problem=image_cifar10_plain_gen --data_dir="$work/data" \
    --tmp_dir="$work/tmp" --offline
run=(--problem=image_cifar10_plain_gen_rev --data_dir="$work/data" --model=imagetransformer
    --hparams_set=imagetransformer_tiny --hparams=batch_size=4,learning_rate_warmup_steps=50
    --train_steps="$steps" --local_eval_frequency="$every" --eval_steps=20)
TF_CPP_MIN_LOG_LEVEL=3 "$T2_VENV_T2T/bin/t2t-trainer" "${run[@]}" --output_dir="$work/theirs" --random_seed=1 \
    --keep_checkpoint_max=20 >"$work/theirs.log" 2>&1 || { tail -n 5 "$work/theirs.log" >&2; exit 1; }
"$bin/t2t-trainer" "${run[@]}" --output_dir="$work/ours" --warm_start_from="$work/theirs/model.ckpt-0" \
    2>"$work/ours.log" || { tail -n 5 "$work/ours.log" >&2; exit 1; }
"$bin/tfrec" events --json --tag='*/neg_log_perplexity' "$work/theirs/eval" >"$work/theirs.json"
"$T2_VENV_T2T/bin/python" - "$work" <<'END'
import json, math, sys
work = sys.argv[1]
theirs = {}
for line in open(work + "/theirs.json"):
    e = json.loads(line)
    theirs[e["step"]] = -e["value"] / math.log(2)
ours = {}
for line in open(work + "/ours/metrics.jsonl"):
    e = json.loads(line)
    if e["kind"] == "eval":
        ours[e["step"]] = e["bits_per_dim"]
both = sorted(set(ours) & set(theirs))
print("step   Tensor2Tensor   t2t-trainer   bits per dimension of held-out images")
for s in both:
    print("%4d   %13.4f   %11.4f" % (s, theirs[s], ours[s]))
last = both[-3:]
if len(last) < 3:
    sys.exit("fewer than three evaluations of both")
a, b = (sum(x[s] for s in last) / 3 for x in (theirs, ours))
print("mean of the last three: %.4f and %.4f, ratio %.4f" % (a, b, b / a))
sys.exit(abs(b / a - 1) > 0.01)
END
