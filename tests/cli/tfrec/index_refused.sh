# of which files there is no index, and what is left of the old one
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o ten.tfrecord -
tfrec index --dali ten.tfrecord
cp ten.tfrecord.idx old
size=$(wc -c <ten.tfrecord)
head -c "$((size - 1))" ten.tfrecord >cut.tfrecord
for try in cut.tfrecord - "--dali --with=label ten.tfrecord" no-such-file; do
    # shellcheck disable=SC2086 # several arguments
    tfrec index $try </dev/null || echo "exit $?"
done
tfrec index --with=inputs ten.tfrecord --dali --binary
printf '{"label":1.5}\n' | tfrec convert --quiet --to=tfrecord -o float.tfrecord -
tfrec merge --quiet -o mixed.tfrecord ten.tfrecord float.tfrecord
tfrec index --with=label mixed.tfrecord || echo "exit $?"
tfrec merge --quiet --compress=gzip -o ten.gz ten.tfrecord
tfrec index --dali ten.gz || echo "exit $?"
cmp old ten.tfrecord.idx
ls
