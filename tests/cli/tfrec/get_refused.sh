# numbers that are not there, and what else get does not take
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o ten.tfrecord -
for try in "10 ten.tfrecord" "-11 ten.tfrecord" "0 99999999999999999999 ten.tfrecord" ten.tfrecord "0" "3-2 ten.tfrecord" "0-10000 ten.tfrecord" "8-10 ten.tfrecord" "3- ten.tfrecord" \
    "0 -" "-1 -" "0 nothing" "--raw --number 0 ten.tfrecord"; do
    # shellcheck disable=SC2086 # several arguments
    tfrec get $try <ten.tfrecord || echo "exit $?"
done
tfrec get 0 ten.tfrecord >/dev/full || echo "exit $?"
