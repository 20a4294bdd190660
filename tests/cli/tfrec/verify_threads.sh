# the report does not depend on the number of threads
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o ten.tfrecord -
for i in 1 2 3 4 5 6 7 8; do
    cat ten.tfrecord ten.tfrecord ten.tfrecord ten.tfrecord ten.tfrecord ten.tfrecord >./more
    mv more ten.tfrecord
    [ "$(wc -c <ten.tfrecord)" -lt 3000000 ] || break
done
size=$(wc -c <ten.tfrecord)
cp ten.tfrecord bad
for at in 1000 "$((size / 2))" "$((size - 100))"; do
    printf 'xyz' | dd of=bad bs=1 seek="$at" conv=notrunc status=none
done
gzip -c bad >bad.gz
printf '{"label":1.5}\n' | tfrec convert --quiet --to=tfrecord -o odd -
for j in 1 2; do
    tfrec verify --quiet -j "$j" --json ten.tfrecord bad odd bad.gz >"$j.json" || echo "exit $?"
    tfrec verify --quiet -j "$j" ten.tfrecord bad odd bad.gz >"$j.txt" || echo "exit $?"
done
cmp 1.json 2.json
cmp 1.txt 2.txt
tail -n 2 1.txt
