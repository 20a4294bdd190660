# which indexes are written, and what a .idx looks like
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o ten.tfrecord -
cp ten.tfrecord a.tfrecord
tfrec index ten.tfrecord
cat ten.tfrecord.idx
tfrec index --json --with=label,inputs --binary a.tfrecord
ls
tfrec merge --quiet --compress=bgzip -o b.gz ten.tfrecord
tfrec index b.gz
tfrec index --dali a.tfrecord
# the same bytes for any number of threads
cp a.tfrecord.tfri one
tfrec index -j 2 --with=label,inputs --binary a.tfrecord >/dev/null
cmp one a.tfrecord.tfri
