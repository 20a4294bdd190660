# Drawn at random: each at most once, in order, the same for any -j and any cut into files.
i=0
while [ $i -lt 1000 ]; do
    echo "{\"id\":[$i]}"
    i=$((i + 1))
done > rows.jsonl
tfrec convert --quiet --to=tfrecord -o a.tfrecord rows.jsonl
head -n 300 rows.jsonl | tfrec convert --quiet --to=tfrecord -o b.tfrecord -
tail -n 700 rows.jsonl | tfrec convert --quiet --to=tfrecord -o c.tfrecord -
tfrec sample -n 5 --quiet a.tfrecord
tfrec sample -n 5 --quiet --seed=1 --number a.tfrecord
tfrec sample -n 50 --quiet -j 1 a.tfrecord > one
tfrec sample -n 50 --quiet -j 2 a.tfrecord | cmp - one
tfrec sample -n 50 --quiet -j 2 b.tfrecord c.tfrecord | cmp - one
sort -u one | wc -l
grep -c -F -x -f one rows.jsonl
tfrec sample -n 2000 --quiet a.tfrecord | cmp - rows.jsonl
tfrec sample -n 0 a.tfrecord
tfrec sample -n -1 a.tfrecord || echo "exit $?"
