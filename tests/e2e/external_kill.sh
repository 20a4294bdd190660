# Killed at any point: no half file under the final name, no temporary file but the output's own; interrupted:
# nothing at all.
# shellcheck source=tests/e2e/external_common.subr
. "$T2_ROOT/tests/e2e/external_common.subr"
. "$T2_ROOT/tests/e2e/stop_at.subr"
records 100000 a.tfrecord
mkdir in
mv a.tfrecord in/a.tfrecord
for command in 'shuffle --seed=1' 'sort --by=label' dedup; do
    # shellcheck disable=SC2086 # several arguments
    set -- tfrec $command --max_memory=1M --quiet -j 2 in/a.tfrecord
    calls=$(calls_of "$@" -o whole)
    stopped=0
    for point in 1 10 25 50 75 90; do # per cent
        for signal in KILL TERM; do
            rm -rf out
            mkdir out
            rc=0
            stop_at $((point * calls / 100 + 1)) $signal "$@" -o out/x >/dev/null 2>&1 || rc=$?
            case $rc in
            0) # threads that take turns in another way may need fewer calls
                cmp out/x whole
                continue
                ;;
            137) [ $signal = KILL ] ;;
            130) [ $signal = TERM ] ;;
            *) echo "$command: exit code $rc after $signal" && exit 1 ;;
            esac
            stopped=$((stopped + 1))
            [ ! -e out/x ] || { [ $signal = TERM ] && cmp out/x whole && rm out/x; }
            [ $signal = TERM ] || rm -f out/x.incomplete
            [ -z "$(ls -A out)" ] || { echo "$command left after $signal:"; ls -A out; exit 1; }
        done
    done
    echo "$command: $stopped of 12 stopped, $calls calls"
    [ $stopped -ge 8 ]
done
