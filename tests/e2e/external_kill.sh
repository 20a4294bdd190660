# Killed at any moment: no half file under the final name, no temporary file but the output's own; interrupted:
# nothing at all.
# shellcheck source=tests/e2e/external_common.subr
. "$T2_ROOT/tests/e2e/external_common.subr"
records 100000 a.tfrecord
mkdir in
mv a.tfrecord in/a.tfrecord
tfrec shuffle --seed=1 --max_memory=1M --quiet -o whole.shuffle -j 2 in/a.tfrecord
tfrec sort --by=label --max_memory=1M --quiet -o whole.sort -j 2 in/a.tfrecord
tfrec dedup --max_memory=1M --quiet -o whole.dedup -j 2 in/a.tfrecord
killed=0
try() { # signal, pause, command
    signal=$1
    pause=$2
    shift 2
    rm -rf out
    mkdir out
    tfrec "$@" --quiet -o out/x -j 2 in/a.tfrecord >/dev/null 2>&1 &
    pid=$!
    sleep "$pause"
    ! kill "-$signal" $pid 2>/dev/null || killed=$((killed + 1))
    wait $pid 2>/dev/null && return 0
    if [ -e out/x ]; then # it came after the work was done: the file is the one of a run that nobody stopped
        cmp out/x "whole.$1" || { echo "$* left another out/x"; exit 1; }
        rm out/x
    fi
    if [ "$signal" = KILL ]; then
        rm -f out/x.incomplete
    fi
    [ -z "$(ls -A out)" ] || { echo "$* left:"; ls -A out; exit 1; }
}
for pause in 0.01 0.03 0.06 0.1 0.2; do
    for signal in KILL TERM; do
        try $signal $pause shuffle --seed=1 --max_memory=1M
        try $signal $pause sort --by=label --max_memory=1M
        try $signal $pause dedup --max_memory=1M
    done
done
[ $killed -gt 0 ]
