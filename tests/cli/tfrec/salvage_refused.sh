# no output, two kinds of it, the input as output, nothing to save, a full disk
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o ten.tfrecord -
printf 'This is text.\n' >text
for try in ten.tfrecord "-o a --output_dir=b ten.tfrecord" "-o ten.tfrecord ten.tfrecord" "-o ./ten.tfrecord text" \
    "--output_dir=. ten.tfrecord" "-o x no-such-file" "-o x text" "-o - --json ten.tfrecord" \
    "-o x --compress=bzip2 ten.tfrecord" "-o /dev/full ten.tfrecord" "--output_dir=d ten.tfrecord ./ten.tfrecord"; do
    # shellcheck disable=SC2086 # several arguments
    tfrec salvage --quiet $try || echo "exit $?"
done
tfrec salvage --quiet -o x ten.tfrecord text || echo "exit $?"
tfrec salvage --quiet -o y ten.tfrecord >/dev/full || echo "exit $?"
ls
