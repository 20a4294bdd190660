# SIGINT: exit code 130, a word about going on, no scratch and no half files; the same command ends
# with the same bytes.
. "$T2_ROOT/tests/e2e/stop_at.subr"
run=calls_of
make_data() { $run t2t-datagen --problem=translate_ende_numbers --max_cases=30000 --num_shards=40 --shuffle_memory=300000 --data_dir="$1"; }
sums() { (cd "$1" && sha256sum -- *); }
export T2_LOG=warning
calls=$(make_data whole)
sums whole >want
for point in 0 1 5 20 40 60 80; do # per cent
    rm -rf d
    run="stop_at $((point * calls / 100 + 2)) INT" rc=0
    make_data d 2>err || rc=$?
    [ $rc = 130 ] || { cat err && exit 1; }
    grep -q 'interrupted; run the same command again to continue' err
    [ -z "$(find d -name "*incomplete*" -o -name "*manifest*" -o -name "*lock*")" ]
    run=
    make_data d
    sums d >have
    cmp want have
done
