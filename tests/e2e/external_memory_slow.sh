# shuffle, sort, dedup and diff --set of 64 times their memory: what is above --max_memory is what reading
# and writing take (windows of the input, batches of records in flight, buffers), not the input's size.
# shellcheck source=tests/e2e/external_common.subr
. "$T2_ROOT/tests/e2e/external_common.subr"
[ -x /usr/bin/time ] || { echo "no /usr/bin/time" >&2; exit 77; }
records 200000 part.tfrecord
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do cat part.tfrecord; [ $i -gt 0 ]; done >a.tfrecord
bytes=$(wc -c <a.tfrecord)
[ "$bytes" -gt $((4 * 64 * 1000000)) ] || { echo "only $bytes bytes"; exit 1; }
limit_kb=$((4 * 1024 + 80 * 1024))
measure() {
    /usr/bin/time -f %M -o kb "$@" >/dev/null
    kb=$(tail -n 1 kb)
    echo "$kb kB: $*"
    [ "$kb" -lt $limit_kb ] || exit 1
}
measure tfrec shuffle --quiet --seed=1 --max_memory=4M -o x -j 2 a.tfrecord
measure tfrec diff --quiet --set --max_memory=4M -j 2 a.tfrecord x
measure tfrec sort --quiet --by='label,id' --max_memory=4M -o x -j 2 a.tfrecord
measure tfrec dedup --quiet --by=id --max_memory=4M -o x -j 2 a.tfrecord
