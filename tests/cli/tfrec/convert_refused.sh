# wrong usage, and inputs that break off: said, and nothing appears
tfrec convert || echo "exit $?"
tfrec convert -o x.tfrecord || echo "exit $?"
printf '{"a":1}\n' >a.jsonl
tfrec convert a.jsonl || echo "exit $?"
tfrec convert -o x a.jsonl || echo "exit $?"
tfrec convert --to=parquet -o x a.jsonl || echo "exit $?"
tfrec convert --to=npy -o x a.jsonl || echo "exit $?"
tfrec convert --to=tfds -o x a.jsonl || echo "exit $?"
tfrec convert --compress=lz4 -o x.tfrecord a.jsonl || echo "exit $?"
tfrec convert --json=long -o x.jsonl a.jsonl || echo "exit $?"
tfrec convert -o x.tfrecord nothing.csv || echo "exit $?"
printf '{"a":1}\n{"a":\n' >b.jsonl
tfrec convert -o x.tfrecord b.jsonl || echo "exit $?"
tfrec convert --quiet -o a.tfrecord a.jsonl
head -c 20 a.tfrecord >cut.tfrecord
tfrec convert -o x.jsonl cut.tfrecord || echo "exit $?"
printf '\31\0\0\0' >no.example && tfrec convert --quiet --from=bagz -o x.tfrecord no.example || echo "exit $?"
tfrec convert --quiet --to=jsonl -o /dev/full a.tfrecord || echo "exit $?"
ls x* 2>/dev/null || echo none
tfrec convert --quiet --compress=bgzip -o y.gz a.tfrecord && tfrec verify y.gz
