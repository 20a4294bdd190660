# A data set made in a bucket, training from it into another one, killed at any time and resumed by a machine
# that has nothing but the bucket: the bits of a run on local disks.
. "$T2_ROOT/tests/e2e/remote_common.subr"
. "$T2_ROOT/tests/e2e/train_common.subr"
mkdir -p store/b store/b2
serve --folder "$PWD/store"
probe
export AWS_ACCESS_KEY_ID=AKID AWS_SECRET_ACCESS_KEY=topsecret

data data 600
data gs://b/data 600
for f in data/*; do
    case $f in *.manifest.json) continue ;; esac
    cmp "$f" "store/b/$f"
done
[ "$(cd store/b/data && echo *)" = "$(cd data && echo *)" ]
: >requests
t2t-datagen --problem=translate_ende_numbers --data_dir=gs://b/data --tmp_dir=tmp --max_cases=600 2>log
grep -q 'nothing\|complete' log
[ "$(count '^P')" = 0 ]

train straight 64
mv data local_data
train_remote() { # steps [flags]
    n=$1 && shift
    (become_trainer s3://b2/run "$n" --data_dir=gs://b/data "$@")
}
# as become_trainer, with a log that is no path of a bucket
become_trainer() {
    out=$1 steps=$2
    shift 2
    exec t2t-trainer --problem=translate_ende_numbers --output_dir="$out" --train_steps="$steps" \
        --hparams_set=transformer_tiny \
        --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 \
        --local_eval_frequency=8 --log_step_count_steps=4 --eval_steps=4 "$@" 2>>log
}
no_cache
train_remote 16
ls store/b2/run/state-*.json >/dev/null
for signal in KILL TERM KILL; do
    no_cache # another machine
    (become_trainer s3://b2/run 64 --data_dir=gs://b/data) &
    run=$!
    n=$(ls store/b2/run | tail -n 1)
    for _ in $(seq 200); do
        kill -0 $run 2>/dev/null && [ "$(ls -t store/b2/run | head -n 1)" = "$n" ] || break
        sleep 0.02
    done
    kill -$signal $run 2>/dev/null || true
    wait $run || true
    # each checkpoint that has a state is whole
    for state in store/b2/run/state-*.json; do
        step=${state##*-} && step=${step%.json}
        [ -f "store/b2/run/model-$step.safetensors" ] && [ -f "store/b2/run/optimizer-$step.safetensors" ]
        sum=$(sha256sum <"store/b2/run/model-$step.safetensors")
        grep -q "${sum%% *}" "$state"
    done
done
no_cache
train_remote 64
cmp straight/model-64.safetensors store/b2/run/model-64.safetensors
cmp straight/optimizer-64.safetensors store/b2/run/optimizer-64.safetensors
tail -n 1 store/b2/run/metrics.jsonl | grep -q '"step": 64'

# Decoding and averaging from the bucket.
no_cache
cut -f1 store/b/data/translate_ende_numbers.dev.en | head -n 5 >five
t2t-decoder --problem=translate_ende_numbers --data_dir=gs://b/data --output_dir=s3://b2/run \
    --decode_from_file=five --decode_to_file=gs://b/decoded.txt 2>log || { cat log >&2; exit 1; }
[ "$(wc -l <store/b/decoded.txt)" = 5 ]
t2t-avg-all --model_dir=s3://b2/run --output_dir=s3://b2/mean --n=2 2>log || { cat log >&2; exit 1; }
ls store/b2/mean/model-*.safetensors >/dev/null
[ ! -e gs: ] && [ ! -e s3: ]
