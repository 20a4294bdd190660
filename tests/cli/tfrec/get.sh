# records by number: over several files, from the end, in the order asked for
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o ten.tfrecord -
tfrec split --quiet --shards=3 -o x ten.tfrecord
tfrec get --number 9 0 4 -1 4 x@3
tfrec get --fields=label -10 x@3
tfrec get --raw 3 ten.tfrecord | wc -c
tfrec get --raw --framed 3 ten.tfrecord | tfrec cat -
for how in gzip zlib bgzip; do
    tfrec merge --quiet --compress=$how -o ten.$how ten.tfrecord
    tfrec get 7 2 ten.$how
    tfrec index --binary ten.$how >/dev/null
    tfrec get 7 2 ten.$how
done
# a range is as good as its numbers
tfrec get 2-4 -1 ten.tfrecord
tfrec get --fields=label 8-9 0 ten.tfrecord
