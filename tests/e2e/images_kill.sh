# jpeg-to-tfrecord killed at any point and called again: the same bytes, nothing left over
. "$T2_ROOT/tests/e2e/stop_at.subr"
mkdir photos photos/a photos/b
for i in $(seq 60); do
    printf 'GIF89a\1\0\1\0\200\0\0\1\2\3\4\5\6,\0\0\0\0\1\0\1\0\0\2\2D\1\0;' >"photos/a/$i.gif"
    cp "photos/a/$i.gif" "photos/b/$i.gif"
done
set -- --quiet --image_dir=photos --train_shards=100
calls=$(calls_of jpeg-to-tfrecord "$@" --output_dir=once)
for point in 2 20 50 80; do # per cent
    rc=0
    stop_at $((point * calls / 100 + 1)) KILL jpeg-to-tfrecord "$@" --output_dir=killed || rc=$?
    [ $rc = 137 ] || { [ $rc = 0 ] && [ $point -gt 20 ]; } # what the last one has left may need fewer calls
done
jpeg-to-tfrecord "$@" --output_dir=killed
diff -r -x '*.lock' once killed
[ -z "$(find killed -name '*.incomplete' -o -name '.images*')" ]
