# Equal, unequal, written differently; in order and as sets.
printf '%s\n' '{"a":[1,2],"b":["x"]}' '{"a":[3]}' '{"a":[4]}' | tfrec convert --quiet --to=tfrecord -o a.tfrecord -
printf '%s\n' '{"a":[1,5],"c":[0.5]}' '{"a":[3]}' '{"a":[6]}' '{"a":[4]}' |
    tfrec convert --quiet --to=tfrecord --from=jsonl --compress=gzip -o b.tfrecord -
tfrec diff a.tfrecord a.tfrecord
tfrec diff a.tfrecord b.tfrecord || echo "exit $?"
tfrec diff --json a.tfrecord b.tfrecord || echo "exit $?"
tfrec diff --set a.tfrecord b.tfrecord || echo "exit $?"
tfrec diff --set --json a.tfrecord b.tfrecord || echo "exit $?"
tfrec sort --quiet --by='a:desc' -o c@2 a.tfrecord
tfrec diff --set a.tfrecord 'c@2'
cat a.tfrecord | tfrec diff - a.tfrecord
tfrec diff a.tfrecord || echo "exit $?"
tfrec diff - - || echo "exit $?"
tfrec diff --by=name a.tfrecord b.tfrecord || echo "exit $?"
