# payloads: no protobuf, kinds that change, what parse_example refuses, images, ids, a schema
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o ten.tfrecord -
printf '{"label":1.5}\n{"inputs":["text"],"label":2}\n' | tfrec convert --quiet --to=tfrecord -o odd.tfrecord -
tfrec merge --quiet -o kinds ten.tfrecord odd.tfrecord
tfrec verify kinds || echo "exit $?"
tfrec verify --payload=any kinds
tfrec schema --json ten.tfrecord >schema.json
tfrec verify --schema=schema.json odd.tfrecord || echo "exit $?"
tfrec verify --schema=schema.json ten.tfrecord
tfrec verify --vocab_size=10 ten.tfrecord
tfrec verify --vocab_size=9 ten.tfrecord || echo "exit $?"
tfrec verify --vocab_size=2 --ids=label --max_errors=2 ten.tfrecord || echo "exit $?"
printf '{"image":{"base64":"/9j/4AAQSkZJRgABAQ=="}}\n' | tfrec convert --quiet --to=tfrecord -o jpeg -
tfrec verify jpeg
tfrec verify --deep jpeg || echo "exit $?"
