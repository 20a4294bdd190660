# The last records over all inputs, of files and of a pipe, with and without an index.
i=0
while [ $i -lt 20 ]; do
    echo "{\"id\":[$i]}"
    i=$((i + 1))
done > rows.jsonl
head -n 12 rows.jsonl | tfrec convert --quiet --to=tfrecord -o a.tfrecord -
tail -n 8 rows.jsonl | tfrec convert --quiet --to=tfrecord -o b.tfrecord -
: > empty.tfrecord
tfrec tail -n 3 a.tfrecord
tfrec tail -n 3 --number a.tfrecord b.tfrecord
tfrec tail a.tfrecord b.tfrecord | cmp - - <<X
$(tail -n 10 rows.jsonl)
X
tfrec tail -n 100 a.tfrecord b.tfrecord | cmp - rows.jsonl
tfrec tail -n 0 a.tfrecord
cat a.tfrecord b.tfrecord | tfrec tail -n 3 --number -
tfrec tail -n 9 a.tfrecord b.tfrecord empty.tfrecord > plain
tfrec index --quiet b.tfrecord
tfrec tail -n 9 a.tfrecord b.tfrecord | cmp - plain
tfrec tail -n 2 --number a.tfrecord b.tfrecord
gzip b.tfrecord
tfrec tail -n 9 -j 2 a.tfrecord b.tfrecord.gz | cmp - plain
head -c 50 a.tfrecord > cut.tfrecord
tfrec tail cut.tfrecord || echo "exit $?"
