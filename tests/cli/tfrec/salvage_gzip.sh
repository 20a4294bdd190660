# damaged gzip: used up to the damage, and from the next member on
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o ten.tfrecord -
size=$(wc -c <ten.tfrecord)
half=$((size / 2))
head -c "$half" ten.tfrecord | gzip -n1 >a.gz
tail -c "+$((half + 1))" ten.tfrecord | gzip -n1 >b.gz
cat a.gz b.gz >whole.gz
tfrec verify whole.gz
cp whole.gz bad.gz
printf '\377\377\377\377' | dd of=bad.gz bs=1 seek=60 conv=notrunc status=none
tfrec salvage --quiet -o saved bad.gz >bill
sed 's/[0-9][0-9]*/N/g' bill
tfrec tail -n 4 saved
tfrec verify bad.gz >/dev/null || echo "exit $?"
head -c "$(($(wc -c <whole.gz) - 8))" whole.gz >no-end.gz
tfrec verify no-end.gz || echo "exit $?"
tfrec salvage --quiet -o saved2 no-end.gz
cmp saved2 ten.tfrecord
