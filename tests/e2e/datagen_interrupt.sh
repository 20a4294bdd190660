# SIGINT: exit code 130, a word about going on, no scratch and no half files; the same command ends
# with the same bytes.
make_data() { t2t-datagen --problem=translate_ende_numbers --max_cases=30000 --num_shards=40 --shuffle_memory=300000 --data_dir="$1"; }
sums() { (cd "$1" && sha256sum -- *); }
T2_LOG=warning make_data whole
sums whole >want
stopped=0
for pause in 0.02 0.05 0.1 0.2; do
    rm -rf d
    # a shell's background job ignores SIGINT; env in between gives it back
    T2_LOG=warning env --default-signal=INT t2t-datagen --problem=translate_ende_numbers --max_cases=30000 \
        --num_shards=40 --shuffle_memory=300000 --data_dir=d 2>err &
    pid=$!
    sleep $pause
    kill -INT $pid 2>/dev/null || true
    rc=0
    wait $pid || rc=$?
    case $rc in
    0) ;;
    130)
        stopped=$((stopped + 1))
        # before main() has installed its handler the signal just ends the process
        if [ -s err ]; then
            grep -q 'interrupted; run the same command again to continue' err
            [ -z "$(find d -name "*incomplete*" -o -name "*manifest*" -o -name "*lock*")" ]
        fi
        ;;
    *) cat err && exit 1 ;;
    esac
    T2_LOG=warning make_data d
    sums d >have
    cmp want have
done
[ $stopped -gt 0 ]
