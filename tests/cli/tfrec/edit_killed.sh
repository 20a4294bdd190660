# kill -9 at many moments: all of before, or a refusal that says what to do, or all of after
. "$T2_ROOT/tests/cli/tfrec/edit_set.inc"
examples 20 45 '' more.tfrecord
cp -r d untouched
tfrec count --quiet d | tail -n 1 >before
tfrec append --quiet --shard_size=200 d more.tfrecord >/dev/null
tfrec count --quiet d | tail -n 1 >after
cmp -s before after && echo "append did nothing"
for wait in 0.000 0.004 0.008 0.012 0.016 0.020 0.025 0.030; do
    rm -r d
    cp -r untouched d
    tfrec append --quiet --shard_size=200 d more.tfrecord >/dev/null 2>&1 &
    pid=$!
    sleep $wait
    kill -9 $pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
    if tfrec count --quiet d >now 2>message; then
        tail -n 1 now >last
        cmp -s last before || cmp -s last after || cat now
    else
        grep -q 'finish it with: tfrec append' message || cat message
    fi
    tfrec append --quiet --shard_size=200 d more.tfrecord >/dev/null
    tfrec count --quiet d | tail -n 1 | cmp - after
    find d -name '*edit*' -o -name '*lock*' -o -name '*incomplete*'
done
grep -c edit_sha256 d/x.manifest.json
