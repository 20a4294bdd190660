# another number of shards; never beside shards of another number
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o ten.tfrecord -
tfrec reshard --quiet --shards=4 -o x-train ten.tfrecord
tfrec reshard --shards=3 -o new/ x-train@4
tfrec cat --raw --framed new/x-train@3 | cmp - ten.tfrecord
tfrec reshard --quiet --shards=3 -o x-train x-train@4 || echo "exit $?"
tfrec reshard --quiet --records=1 -o x-train x-train@4 || echo "exit $?"
ls
tfrec reshard --quiet --shards=4 -o x-train new # replaces
tfrec reshard --json --shard_size=1M --compress=gzip -o y "x-train-*-of-00004"
tfrec cat --raw --framed y@1 | cmp - ten.tfrecord
