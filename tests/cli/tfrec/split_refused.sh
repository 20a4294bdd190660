# flags that make no sense, damage, full disks: nothing is left behind
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o ten.tfrecord -
size=$(wc -c <ten.tfrecord)
head -c "$((size - 1))" ten.tfrecord >cut.tfrecord
for try in "-o x ten.tfrecord" "--shards=2 --records=5 -o x ten.tfrecord" "--shards=2 ten.tfrecord" \
    "--shards=-1 -o x ten.tfrecord" "--shards=2 -o x ten.tfrecord ten.tfrecord" "-o x@0 ten.tfrecord" \
    "--shards=2 -o - ten.tfrecord" "--shards=2 -o x cut.tfrecord" "--records=2 -o x cut.tfrecord" \
    "--shards=2 --compress=lzma -o x ten.tfrecord" "--shards=2 --level=10 -o x ten.tfrecord" \
    "--shards=2 -o /dev/null/x ten.tfrecord"; do
    # shellcheck disable=SC2086 # several arguments
    tfrec split $try || echo "exit $?"
done
ls
