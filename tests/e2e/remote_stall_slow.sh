# Training from a bucket that is 50 ms and 1 Gbit/s away (tests/support/slow_proxy.py): steps wait for data at most
# one of a hundred seconds; the bits are those of the same run from a local folder.
. "$T2_ROOT/tests/e2e/remote_common.subr"
serve --bucket b
python3 "$T2_ROOT/tests/support/slow_proxy.py" far "$(cat port)" 50 1000 &
proxy=$!
trap 'kill $server $proxy 2>/dev/null || true' EXIT
until [ -s far ]; do
    kill -0 $proxy || exit 1
    sleep 0.02
done
probe
AWS_ENDPOINT_URL=http://127.0.0.1:$(cat far) AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=s
export AWS_ENDPOINT_URL AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
make() { t2t-datagen --quiet --problem=translate_ende_numbers --max_cases=30000 --data_dir="$1" --tmp_dir=tmp 2>>log; }
make data
make s3://b/data
no_cache
train() { # data_dir, output_dir: its stall in thousandths of the time
    t2t-trainer --problem=translate_ende_numbers --data_dir="$1" --output_dir="$2" --train_steps=300 --hparams_set=transformer_tiny \
        --hparams=batch_size=1024 --eval_steps=1 --log_step_count_steps=100 --local_eval_frequency=1000000 2>"$2.log" ||
        { cat "$2.log" >&2; exit 1; }
    sed -n 's/.*"kind": "train", "step": 300,.*"stall": \([0-9.e-]*\).*/\1/p' "$2/metrics.jsonl"
}
near=$(train data near)
far=$(train s3://b/data away)
echo "stall: $near from a folder, $far from the bucket"
cmp near/model-300.safetensors away/model-300.safetensors
awk -v far="$far" 'BEGIN { exit !(far != "" && far <= 0.01) }'
