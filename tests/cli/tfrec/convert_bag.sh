# bagz: records, then their ends; any payload; .bagz holds frames of zstd that store
printf '{"a":1}\n{"b":"xyz"}\n' | tfrec convert --quiet --to=tfrecord -o a.tfrecord -
tfrec convert -o a.bag a.tfrecord
od -An -tu8 -j "$(($(wc -c <a.bag) - 16))" a.bag
tfrec convert --quiet -o b.tfrecord a.bag && cmp a.tfrecord b.tfrecord
tfrec convert --quiet -o a.bagz a.tfrecord
tfrec convert --quiet -o b.tfrecord a.bagz && cmp a.tfrecord b.tfrecord
: >empty.bag
tfrec convert --quiet -o b.tfrecord empty.bag && tfrec count b.tfrecord | sed 's/  */ /g'
head -c 20 a.bag >cut.bag
tfrec convert --quiet -o c.tfrecord cut.bag || echo "exit $?"
printf 'abc' >short.bag
tfrec convert --quiet -o c.tfrecord short.bag || echo "exit $?"
printf 'x\11\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0' >wrong.bag
tfrec convert --quiet -o c.tfrecord wrong.bag || echo "exit $?"
printf '(\265/\375\0X\25\0\0x\12\0\0\0\0\0\0\0' >z.bagz # a block that is compressed
tfrec convert --quiet -o c.tfrecord z.bagz || echo "exit $?"
tfrec convert --quiet --from=bagz -o c.tfrecord - <a.bag || echo "exit $?"
[ ! -e c.tfrecord ]
