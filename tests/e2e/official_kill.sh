# data_download killed at many moments: the same command finishes the work with the same bytes, and nothing half-made stays.
. "$T2_ROOT/tests/e2e/official_common.subr"
raw raw 8000
pair whole/newstest2014 5
data_download --quiet --data_dir=whole --raw_dir=raw
sums whole >want
sums raw/training >text
killed=0
for pause in 0.01 0.03 0.05 0.08 0.12 0.16; do
    rm -rf d raw/wmt32k-*
    pair d/newstest2014 5
    for _ in 1 2; do
        data_download --quiet -dd d -rd raw --shuffle_memory=300000 &
        pid=$!
        sleep $pause
        ! kill -9 $pid 2>/dev/null || killed=$((killed + 1))
        wait $pid 2>/dev/null || true
    done
    data_download --quiet -dd d -rd raw
    sums d >have
    cmp want have || { diff want have; exit 1; }
    [ "$(find raw -name 'wmt32k-*' | wc -l)" = 4 ]
done
[ $killed -gt 0 ]
sums raw/training | cmp - text
