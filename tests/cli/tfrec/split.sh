# one file into several: evenly, by records, by size; the same for any threads
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o ten.tfrecord -
tfrec split --shards=4 -o x ten.tfrecord
tfrec count x@4
tfrec split --records=4 --json -o y ten.tfrecord
mkdir parts
tfrec split --quiet --shard_size=150 -o parts ten.tfrecord
ls parts
tfrec split --quiet --shards=2 -o new/ ten.tfrecord
ls new
tfrec split --quiet -j 2 -o z@2 --compress=bgzip ten.tfrecord
tfrec split --quiet -j 1 -o w@2 --compress=bgzip - <ten.tfrecord
cmp z-00000-of-00002 w-00000-of-00002
cmp z-00001-of-00002 w-00001-of-00002
for base in x@4 y@3 parts z@2; do
    tfrec cat --raw --framed $base | cmp - ten.tfrecord
done
