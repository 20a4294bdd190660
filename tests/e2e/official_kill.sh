# data_download killed at many points: the same command finishes the work with the same bytes, and nothing half-made stays.
. "$T2_ROOT/tests/e2e/official_common.subr"
. "$T2_ROOT/tests/e2e/stop_at.subr"
raw raw 8000
pair whole/newstest2014 5
run=calls_of
make_data() { $run data_download --quiet --data_dir="$1" --raw_dir=raw --shuffle_memory=300000; }
calls=$(make_data whole)
sums whole >want
sums raw/training >text
for point in 3 10 30 50 70 90; do # per cent
    rm -rf d raw/wmt32k-*
    pair d/newstest2014 5
    at=$((point * calls / 100 + 1)) rc=0
    run="stop_at $at KILL"
    make_data d || rc=$?
    [ $rc = 137 ] || { echo "not killed before call $at of $calls: exit code $rc"; exit 1; }
    make_data d || [ $? = 137 ] # again, in what was left
    run=
    make_data d
    sums d >have
    cmp want have || { diff want have; exit 1; }
    [ "$(find raw -name 'wmt32k-*' | wc -l)" = 4 ]
done
sums raw/training | cmp - text
