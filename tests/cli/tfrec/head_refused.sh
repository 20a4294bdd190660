# What cannot be shown is named: file, record, offset, byte.
echo '{"a":1}' | tfrec convert --quiet --to=tfrecord -o a.tfrecord -
tfrec head none.tfrecord || echo "exit $?"
tfrec head --json=xml a.tfrecord || echo "exit $?"
tfrec head --bytes=hex a.tfrecord || echo "exit $?"
tfrec head -n -1 a.tfrecord || echo "exit $?"
tfrec head --framed a.tfrecord || echo "exit $?"
tfrec head --raw --vocab=v a.tfrecord || echo "exit $?"
tfrec head --vocab=none.txt a.tfrecord || echo "exit $?"
tfrec head || echo "exit $?"
head -c 20 a.tfrecord > cut.tfrecord
tfrec head cut.tfrecord || echo "exit $?"
tfrec head --vocab=none.txt a.tfrecord || echo "exit $?"
tfrec head a.tfrecord > /dev/full || echo "exit $?"
# a sound record of other bytes, after one that is an Example
printf '\005\000\000\000\000\000\000\000\352\262\004\076hello\273\037\034\031' > hello.tfrecord
cat a.tfrecord hello.tfrecord > mixed.tfrecord
tfrec head mixed.tfrecord || echo "exit $?"
tfrec head --raw hello.tfrecord
tfrec head -3 a.tfrecord || echo "exit $?"
