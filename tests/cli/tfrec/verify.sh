# sound files, by name, in a folder, compressed, on the standard input; and none at all
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o ten.tfrecord -
tfrec verify ten.tfrecord
gzip -c ten.tfrecord >ten.gz
: >empty.tfrecord
tfrec verify ten.tfrecord ten.gz empty.tfrecord
tfrec verify - <ten.tfrecord
tfrec verify --json ten.gz
mkdir shards
tfrec split --quiet --records=4 -o shards/x ten.tfrecord
tfrec verify shards
