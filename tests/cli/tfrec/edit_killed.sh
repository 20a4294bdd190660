# kill -9 at every point: all of before, or a refusal that says what to do, or all of after
. "$T2_ROOT/tests/cli/tfrec/edit_set.inc"
. "$T2_ROOT/tests/e2e/stop_at.subr"
examples 20 45 '' more.tfrecord
cp -r d untouched
tfrec count --quiet d | tail -n 1 >before
calls=$(calls_of tfrec append --quiet --shard_size=200 d more.tfrecord 2>/dev/null)
tfrec count --quiet d | tail -n 1 >after
cmp -s before after && echo "append did nothing"
at=0
while [ $at -lt "$calls" ]; do
    at=$((at + 1)) rc=0
    rm -r d
    cp -r untouched d
    stop_at $at KILL tfrec append --quiet --shard_size=200 d more.tfrecord >/dev/null 2>&1 || rc=$?
    [ $rc = 137 ] || echo "call $at of $calls: exit code $rc"
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
