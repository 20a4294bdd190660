# docs/models.md followed literally against an installed copy; its two examples have the bits of the built-in models;
# runs of layer files are continued, averaged, computed again, in shards; what is wrong is said.
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
unset T2_LOG

. "$T2_ROOT/tests/e2e/walkthrough.subr"
install_here t2t-trainer t2t-decoder t2t-avg-all t2t-exporter jpeg-to-tfrecord
follow models.md "Follow this"
[ -s my.svg ] && cmp my.yaml run/my.yaml
grep -q 'conv2d_4 (conv2d)  *(batch, 4, 4, 64)  *36,864 ' followed.out
grep -q '^Total params: 70,579 ' followed.out
grep -q '30 of 30 whose class is known are right: 100.00 %' followed.log
grep -q 'memory: .* MiB = parameters ' followed.log
python3 -c 'import json; assert json.load(open("narrow/hparams.json"))["width"] == 8'

follow models.md "An hparams set of your own"
python3 - <<'END'
import json
own = json.load(open("own/hparams.json"))
assert (own["learning_rate_constant"], own["batch_size"], own["width"]) == (0.003, 32, 16), own
trials = [json.load(open("search/trials/%s/hparams.json" % i)) for i in ("0000", "0001")]
assert trials[0]["learning_rate_constant"] != trials[1]["learning_rate_constant"]
assert all(t["width"] in (8, 16) and t["image_pipeline"] == "photos" for t in trials)
END
grep -qx -e --hparams_set=flowers_cnn own/flags.txt
! grep -q 'means nothing' followed.log
t2t-trainer --data_dir=data --output_dir=own --hparams_set=sets/shapes.hparams.yaml --train_steps=11 2>/dev/null
if t2t-trainer --data_dir=data --output_dir=own --hparams_set=sets/shapes.hparams.yaml --hparams=batch_size=8 \
    --train_steps=12 2>refused.out; then echo "another batch_size was accepted" && exit 1; fi
grep -q 'batch_size is 8, in the run it is 32' refused.out

# tensors alone: the header names the model
cat >same.py <<'END'
import json, struct, sys
def read(path):
    data = open(path, "rb").read()
    n = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + n])
    header.pop("__metadata__")
    return header, data[8 + n:]
for part in "model", "optimizer":
    a, b = (read("%s/%s-%s.safetensors" % (run, part, sys.argv[3])) for run in sys.argv[1:3])
    assert a == b and len(a[1]) > 10000, part
END
train() { # OUTPUT_DIR STEPS [flags]
    dir=$1 steps=$2
    shift 2
    t2t-trainer --problem=pictures --data_dir=data --output_dir="$dir" --train_steps="$steps" \
        --local_eval_frequency=2 --random_seed=5 "$@" 2>>"$dir.log" || { tail -n 3 "$dir.log" && return 1; }
}
examples=$documents/models
hp='--hparams_set=flowers_cnn --hparams=batch_size=8,image_size=16,label_smoothing=0.1'
# shellcheck disable=SC2086
{
    train flowers 4 --model=flowers_cnn $hp
    train flowers_file 2 --model="$examples/flowers_cnn.yaml" $hp --num_threads=1
    train flowers_file 4
    train flowers_again 4 --model="$examples/flowers_cnn.yaml" $hp --remat=layer
}
python3 same.py flowers flowers_file 4
python3 same.py flowers flowers_again 4
hp=batch_size=4,image_pipeline=photos,image_size=16,weight_decay=0.01,learning_rate_constant=0.01,label_smoothing=0.1
train resnet 2 --model=mg_resnet --hparams_set=mg_resnet_imagenet --hparams=$hp,resnet_depth=18
train resnet_file 2 --model="$examples/resnet_18.yaml" --hparams_set=mg_resnet_imagenet --hparams=$hp
python3 same.py resnet resnet_file 2

# two shards of a batch, the mean of checkpoints, the classes by it; TensorFlow's checkpoint of it
train shards 4 --model=my.yaml --hparams_set=flowers_cnn --hparams=image_pipeline=photos,image_size=16,batch_size=8 --worker_gpu=2
t2t-avg-all --model_dir=shards --output_dir=mean --n=2 --quiet >/dev/null
t2t-decoder --data_dir=data --output_dir=mean --decode_from_file=new 2>/dev/null >classes
[ "$(wc -l <classes)" = 30 ]
t2t-exporter --data_dir=data --output_dir=shards --quiet
[ -s shards/export/model.ckpt-4.index ]
t2t-decoder --data_dir=data --output_dir=shards --model=my.yaml --decode_from_file=new/red 2>/dev/null >classes

# what is wrong
refused() { # TEXT command
    text=$1
    shift
    if "$@" >refused.out 2>&1; then echo "accepted: $*" && exit 1; fi
    grep -qF -e "$text" refused.out || { cat refused.out && exit 1; }
}
sed 's/rate: 0.1/rate: 0.2/; s/dropout: 0.1/dropout: 0.2/' my.yaml >other.yaml
mkdir changed && cp other.yaml changed/my.yaml
refused "'my.yaml' has changed since the run in 'run' began: line 20 is" \
    t2t-trainer --data_dir=data --output_dir=run --model=changed/my.yaml --train_steps=90
refused "'my.yaml' has changed" t2t-decoder --data_dir=data --output_dir=run --model=changed/my.yaml --decode_from_file=new
refused "trains model 'my.yaml', not 'other.yaml'" t2t-trainer --data_dir=data --output_dir=run --model=other.yaml --train_steps=90
refused "'no.yaml'" t2t-trainer --problem=pictures --data_dir=data --output_dir=new_run --model=no.yaml --hparams_set=flowers_cnn
sed 's/filters: $width}/filters: 8}/; s/strides: 2}/strides: 1}/' my.yaml | sed 's/^      - residual:/      - residual:\n          - dense: 9/' >wrong.yaml
sed -i 's/^          - conv2d: {filters: $width \* $factor}/          - conv2d: {filters: 9}/' wrong.yaml
refused "'wrong.yaml': line 15: layer add (add) joins what does not fit: batch_normalization_2 gives (batch, 16, 16, 9), and activation_1 gives (batch, 16, 16, 32)" \
    t2t-trainer --problem=pictures --data_dir=data --output_dir=new_run --model=wrong.yaml --hparams_set=flowers_cnn --hparams=image_size=16
refused "'wrong.yaml': line 15: layer add" t2t-trainer --describe --problem=pictures --data_dir=data --model=wrong.yaml \
    --hparams_set=flowers_cnn --hparams=image_size=16
[ ! -e new_run ]
