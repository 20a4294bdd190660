# jpeg-to-tfrecord killed at any moment and called again: the same bytes, nothing left over
mkdir photos photos/a photos/b
for i in $(seq 60); do
    printf 'GIF89a\1\0\1\0\200\0\0\1\2\3\4\5\6,\0\0\0\0\1\0\1\0\0\2\2D\1\0;' >"photos/a/$i.gif"
    cp "photos/a/$i.gif" "photos/b/$i.gif"
done
set -- --quiet --image_dir=photos --train_shards=100
jpeg-to-tfrecord "$@" --output_dir=once
for wait in 0.02 0.05 0.1 0.2; do
    jpeg-to-tfrecord "$@" --output_dir=killed & pid=$!
    sleep $wait
    kill -9 $pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
done
jpeg-to-tfrecord "$@" --output_dir=killed
diff -r -x '*.lock' once killed
[ -z "$(find killed -name '*.incomplete' -o -name '.pictures*')" ]
