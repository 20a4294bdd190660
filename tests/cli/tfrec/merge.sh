# many files into one, one of the inputs perhaps
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o ten.tfrecord -
tfrec split --quiet --shards=3 -o x ten.tfrecord
tfrec merge -o all x@3
cmp all ten.tfrecord
tfrec merge --quiet -o - x@3 | cmp - ten.tfrecord
tfrec merge --quiet -o x-00000-of-00003 x@3 # in place
cmp x-00000-of-00003 ten.tfrecord
for how in none gzip zlib bgzip; do
    tfrec merge --quiet -j 1 --compress=$how --level=9 -o one ten.tfrecord
    tfrec merge --quiet -j 2 --compress=$how --level=9 -o two ten.tfrecord
    cmp one two
    tfrec count one
    tfrec cat --raw --framed one | cmp - ten.tfrecord
done
tfrec merge --quiet --compress=bgzip -o b.gz ten.tfrecord
gzip -t b.gz
gzip -dc b.gz | cmp - ten.tfrecord
for try in "ten.tfrecord" "-o x@2 ten.tfrecord" "-o /dev/full ten.tfrecord" "--json -o - ten.tfrecord" "-o x"; do
    # shellcheck disable=SC2086 # several arguments
    tfrec merge $try || echo "exit $?"
done
ls
