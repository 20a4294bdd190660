# The order depends on the seed and the records' numbers only.
i=0
while [ $i -lt 40 ]; do echo "{\"i\":[$i]}"; i=$((i + 1)); done |
    tfrec convert --quiet --to=tfrecord -o a.tfrecord -
tfrec shuffle --seed=1 -o b.tfrecord a.tfrecord
tfrec cat b.tfrecord | tr -d '\n{}"[]i:'
echo
tfrec shuffle --quiet --seed=2 -o - a.tfrecord | tfrec cat - | tr -d '\n{}"[]i:'
echo
tfrec diff --set a.tfrecord b.tfrecord
tfrec shuffle --quiet --seed=1 -o c@3 --compress=gzip a.tfrecord
tfrec diff b.tfrecord 'c@3'
tfrec shuffle --quiet -o x a.tfrecord
tfrec shuffle --quiet --seed=0 -o - a.tfrecord | cmp x -
tfrec shuffle --seed=1 a.tfrecord || echo "exit $?"
tfrec shuffle --seed=1 --max_memory=1000 -o x a.tfrecord || echo "exit $?"
tfrec shuffle --seed=1 --tmp_dir=absent --max_memory=1M -o x a.tfrecord
printf 'no records' | tfrec shuffle --seed=1 -o y - || echo "exit $?"
[ ! -e y ]
