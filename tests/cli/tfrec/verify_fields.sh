# a damage in each field of the framing is named by it, the records behind it are read
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o ten.tfrecord -
size=$(wc -c <ten.tfrecord)
size=$((size / 10))
at=$((3 * size))
damage() { # name, offset, bytes
    cp ten.tfrecord "$1"
    printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
damage length "$at" '\001'
damage length-crc "$((at + 8))" '\000\000'
damage data "$((at + 20))" '\377\377'
damage data-crc "$((at + size - 4))" '\260'
head -c "$((at + 5))" ten.tfrecord >cut-in-length
head -c "$((at + 15))" ten.tfrecord >cut-in-data
head -c "$((at + size - 1))" ten.tfrecord >cut-in-crc
{ cat ten.tfrecord; printf 'some more'; } >./tail
{ printf 'in front'; cat ten.tfrecord; } >front
for f in length length-crc data data-crc cut-in-length cut-in-data cut-in-crc tail front; do
    tfrec verify "$f" || echo "exit $?"
done
tfrec verify --json length-crc data ten.tfrecord || echo "exit $?"
tfrec verify --max_errors=1 --quiet data cut-in-data || echo "exit $?"
tfrec verify - <data || echo "exit $?"
