# Files that lose their bytes while they are mapped: each tool says which one, and exits 1; never SIGBUS.
. "$T2_ROOT/tests/e2e/train_common.subr"
command -v cc >/dev/null || { echo "no C compiler for cut_mapped.c" >&2; exit 77; }
# Not with sanitizers: they take SIGBUS for themselves
cc -shared -fPIC -O1 -D_GNU_SOURCE -o cut_mapped.so "$T2_ROOT/tests/e2e/cut_mapped.c" -ldl

# loses FILE COMMAND...: works on the file; cut while it is mapped, it is named.
loses() {
    file=$1
    shift
    cp "$file" kept
    rc=0
    rm -f ./*.log
    (export LD_PRELOAD=./cut_mapped.so CUT_FILE="${file##*/}" && "$@") >this.log 2>&1 || rc=$?
    cp kept "$file"
    [ $rc = 1 ] && grep -q "$file' has become shorter while it was read" ./*.log || {
        echo "exit code $rc: $*"
        cat ./*.log
        exit 1
    }
}

data data 300
train run 4
train run 8
cp -r run again
model=run/model-8.safetensors
loses $model t2t-avg-all --model_dir=run --output_dir=avg --n=2
head -n 3 "$T2_ROOT/README.md" >text
loses $model t2t-decoder --problem=translate_ende_numbers --data_dir=data --output_dir=run --decode_from_file=text \
    --decode_to_file=out
loses $model t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir=run --schedule=evaluate
loses again/optimizer-8.safetensors become_trainer again 12
i=0
while [ $i -lt 5000 ]; do
    printf '{"x":"%0100d","y":%d}\n' $i $i
    i=$((i + 1))
done | tfrec convert --quiet --to=tfrecord -o x.tfrecord -
loses x.tfrecord tfrec cat --quiet x.tfrecord
loses x.tfrecord tfrec verify --quiet x.tfrecord # "0 records, sound" is not what was given
tfrec index --quiet x.tfrecord
loses x.tfrecord.tfri tfrec get --quiet 3000-3010 x.tfrecord
tfrec convert --quiet -o x.npz x.tfrecord
loses x.npz tfrec convert --quiet -o y.tfrecord x.npz
tfrec convert --quiet -o x.bagz x.tfrecord
loses x.bagz tfrec convert --quiet -o y.tfrecord x.bagz
