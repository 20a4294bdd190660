# wrong flags, damage: the failure is the command's, nothing is printed
printf '{"a":[1]}\n{"a":[2]}\n' | tfrec convert --to=tfrecord -o a.tfrecord --quiet -
tfrec stats --quiet --top=-1 a.tfrecord || echo "exit $?"
tfrec stats --quiet --vocab=absent a.tfrecord || echo "exit $?"
head -c -1 a.tfrecord >b.tfrecord
tfrec stats --quiet b.tfrecord || echo "exit $?"
: >empty.tfrecord
tfrec stats --quiet empty.tfrecord || echo "exit $?"
