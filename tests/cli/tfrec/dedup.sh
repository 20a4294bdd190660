# The first of equal records stays, in order.
printf '%s\n' '{"a":[1],"b":["x"]}' '{"a":[2],"b":["x"]}' '{"a":[1],"b":["x"]}' '{"a":[1],"b":["y"]}' \
    '{"c":[1]}' '{"c":[2]}' | tfrec convert --quiet --to=tfrecord -o a.tfrecord -
echo '{"a":[2],"b":["x"]}' | tfrec convert --quiet --to=tfrecord -o b.tfrecord -
tfrec dedup --quiet -o one.tfrecord a.tfrecord b.tfrecord
tfrec cat one.tfrecord
tfrec dedup --quiet --by=b -o two@2 --compress=zlib a.tfrecord b.tfrecord
tfrec cat two@2
tfrec dedup --by=a,b --dry_run --json a.tfrecord b.tfrecord
cat a.tfrecord | tfrec dedup -o - - | tfrec count -
tfrec dedup --by=a,a -o x a.tfrecord || echo "exit $?"
tfrec dedup a.tfrecord || echo "exit $?"
tfrec dedup --max_memory=1k -o x a.tfrecord || echo "exit $?"
[ ! -e x ]
