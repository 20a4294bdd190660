# Two runs write one output at the same moment: what stands there in the end is whole and one of theirs, and a run
# that says 0 has written it.
seq 1 20000 | sed 's/.*/{"x":"a&"}/' | tfrec convert --quiet --to=tfrecord -o a -
seq 1 20000 | sed 's/.*/{"x":"b&"}/' | tfrec convert --quiet --to=tfrecord -o b -
seq 1 3000 | sed 's/.*/one & two/' >one.txt
seq 1 3000 | sed 's/.*/& three four five/' >two.txt

# both FILE-OF-EACH... -- COMMAND INPUT OUTPUT: %s in the command is the input
pair() { # output, command with %s, inputs
    output=$1 command=$2 first=$3 second=$4
    # shellcheck disable=SC2059 # the command is a format
    {
        sh -c "$(printf "$command" "$first")" >log1 2>&1 &
        one=$!
        sh -c "$(printf "$command" "$second")" >log2 2>&1 &
        two=$!
    }
    rc1=0 rc2=0
    wait $one || rc1=$?
    wait $two || rc2=$?
    case $rc1$rc2 in
    00 | 01 | 10 | 11) ;;
    *) echo "exit codes $rc1, $rc2: $command" && cat log1 log2 && exit 1 ;;
    esac
    [ $rc1 = 0 ] || grep -qE "another run|replaced while" log1 || { cat log1 && exit 1; }
    [ $rc2 = 0 ] || grep -qE "another run|replaced while" log2 || { cat log2 && exit 1; }
    if [ $rc1 = 0 ] || [ $rc2 = 0 ]; then
        cat "$output"* | cmp -s - "want.$first" || cat "$output"* | cmp -s - "want.$second" || {
            echo "neither $first nor $second: $command"
            exit 1
        }
    fi
    [ -z "$(find . -name '*.incomplete' -o -name '*.lock')" ] || { ls && exit 1; }
    rm -f "$output"*
    successes=$((successes + (1 - rc1) + (1 - rc2)))
}

many() { # output, command, inputs
    for input in "$3" "$4"; do
        # shellcheck disable=SC2059
        sh -c "$(printf "$2" "$input")"
        cat "$1"* >"want.$input"
        rm "$1"*
    done
    successes=0
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        pair "$@"
    done
    [ $successes -ge 5 ] || { echo "only $successes of 20 runs wrote: $2" && exit 1; }
}

many out 'tfrec merge --quiet -o out %s' a b
many shards 'tfrec reshard --quiet --shards=4 -o shards %s' a b
many words 'tfrec shuffle --quiet --seed=1 -o words %s' a b
many vocab 't2t-vocab build --quiet --target_size=300 -o vocab %s' one.txt two.txt
