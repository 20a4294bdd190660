# SIGINT while t2t-vocab counts and builds: exit code 130 within a second, a word about going on, nothing
# half-made; the same command again gives the same bytes.
awk 'BEGIN { for (i = 0; i < 50000; i++) print "line", i, "x" i * 7919 % 1000003, i * i % 999983, "again and again" }' >text.txt
cat text.txt text.txt text.txt text.txt text.txt text.txt text.txt text.txt >long.txt
mkdir work
stop() { # seconds before the signal, command
    pause=$1
    shift
    rm -f work/*
    # a shell's background job ignores SIGINT; env in between gives it back
    T2_LOG=warning env --default-signal=INT "$@" 2>err &
    pid=$!
    sleep "$pause"
    kill -INT $pid 2>/dev/null || true
    asked=$(date +%s)
    rc=0
    wait $pid || rc=$?
    took=$(($(date +%s) - asked))
    case $rc in
    0) return 0 ;;
    130) ;;
    *) cat err && exit 1 ;;
    esac
    # before main() has installed its handler the signal just ends the process: that does not count
    if [ -s err ]; then
        grep -q 'interrupted; run the same command again to continue' err
        stopped=$((stopped + 1))
    fi
    [ -z "$(ls work)" ] || { ls work && exit 1; }
    [ $took -le 5 ] || { echo "ended after $took s" && exit 1; }
}
for command in 'count --max_memory=1M -j2 -o work/c long.txt' 'build --target_size=5000 -j2 -o work/v text.txt' \
    'encode --vocab=bytes -o work/ids long.txt'; do
    stopped=0
    for pause in 0.01 0.03 0.1; do
        # shellcheck disable=SC2086 # several arguments
        stop $pause t2t-vocab $command
    done
    echo "$command: $stopped of 3 stopped"
    [ $stopped -gt 0 ]
done
T2_LOG=warning t2t-vocab build --target_size=5000 -j2 -o work/v text.txt
T2_LOG=warning t2t-vocab build --target_size=5000 -j1 -o v text.txt
cmp v work/v
