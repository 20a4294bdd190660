# an index that is not of the file as it is now is noticed and said
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o ten.tfrecord -
tfrec index --binary ten.tfrecord >/dev/null
tfrec count --json ten.tfrecord
touch -d 2030-01-01 ten.tfrecord
tfrec count --json ten.tfrecord
tfrec get 9 ten.tfrecord
tfrec index --binary ten.tfrecord >/dev/null
cat ten.tfrecord ten.tfrecord >two && cat two >ten.tfrecord
tfrec count --json ten.tfrecord
tfrec get 19 ten.tfrecord
tfrec index --binary ten.tfrecord >/dev/null
tfrec count --json ten.tfrecord
tfrec count --json --no_index ten.tfrecord
# damage of the index
printf x >>ten.tfrecord.tfri
tfrec get 19 ten.tfrecord
: >ten.tfrecord.tfri
tfrec get -1 ten.tfrecord
