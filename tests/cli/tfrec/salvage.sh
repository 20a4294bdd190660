# everything sound is saved, what was lost is on the bill
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o ten.tfrecord -
cp ten.tfrecord bad
printf '\377\377' | dd of=bad bs=1 seek=120 conv=notrunc status=none
tfrec salvage --quiet -o saved bad
tfrec verify saved
tfrec cat bad >bad.jsonl 2>/dev/null || echo "exit $?"
tfrec cat saved >saved.jsonl
wc -l <saved.jsonl
tfrec salvage --quiet --json -o saved.gz --compress=bgzip bad
gzip -dc saved.gz | cmp - saved
size=$(wc -c <ten.tfrecord)
head -c "$((size - 1))" ten.tfrecord >./cut
tfrec salvage --quiet --output_dir=out cut bad ten.tfrecord
cmp out/ten.tfrecord ten.tfrecord
tfrec salvage --quiet -o - cut 2>bill | tfrec verify -
cat bill
mkdir shards
tfrec salvage --quiet -o shards/x@3 cut bad
tfrec verify shards
: >empty
tfrec salvage --quiet -o nothing empty
wc -c <nothing
