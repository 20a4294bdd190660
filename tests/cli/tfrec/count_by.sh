# count by index, by manifest when the sizes agree, by reading
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o ten.tfrecord -
tfrec count --json ten.tfrecord
tfrec index --dali ten.tfrecord >/dev/null
tfrec count --json ten.tfrecord
tfrec count --json --no_index ten.tfrecord
tfrec count --json - <ten.tfrecord
# a manifest is believed as long as the size of the file is the one it says
mkdir set
tfrec split --quiet --shards=2 -o set/x-train ten.tfrecord
tfrec index --quiet --manifest set >/dev/null
tfrec count --json set
tfrec count --json --no_index set
cat ten.tfrecord >>set/x-train-00001-of-00002
tfrec count --json set
