# JSON Lines and TFRecord: both shapes, bytes that are no text, every compression, shards, stdin and stdout
printf '{"inputs":[3,1],"t":"a\\"b\\u00e9","f":[0.5,1e10]}\n\n{"b":{"base64":"/wA="},"none":[],"e":{"int64":[]}}\n' >a.jsonl
tfrec convert -o a.tfrecord a.jsonl
tfrec convert --quiet -o back.jsonl a.tfrecord
cat back.jsonl
tfrec convert --quiet --json=proto --to=jsonl -o proto a.tfrecord
cat proto
tfrec convert --quiet -o b.tfrecord --from=jsonl proto && cmp a.tfrecord b.tfrecord
tfrec convert --quiet --to=tfrecord -o - - <a.jsonl | cmp a.tfrecord -
tfrec convert --quiet --to=jsonl -o - - <a.tfrecord | cmp back.jsonl -
for how in gzip zlib bgzip none; do
    tfrec convert --quiet --compress=$how -o z.tfrecord a.tfrecord
    tfrec convert --quiet --compress=none -o c.tfrecord z.tfrecord && cmp a.tfrecord c.tfrecord
done
tfrec convert --quiet --to=tfrecord -o set@2 a.jsonl a.jsonl back.jsonl
ls set-*
tfrec count 'set@2' | sed 's/  */ /g; s,\./,,'
