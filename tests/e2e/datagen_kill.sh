# Killed at many moments, even while it continues: the same command finishes the work with the same
# bytes, and nothing half-made stays.
flags='--quiet --problem=translate_ende_numbers --max_cases=20000 --num_shards=40 --shuffle_memory=300000'
sums() { (cd "$1" && sha256sum -- *); }
# shellcheck disable=SC2086
t2t-datagen $flags --data_dir=whole
sums whole >want
killed=0
for pause in 0.005 0.02 0.03 0.05 0.08 0.12 0.16 0.2; do
    rm -rf d
    for _ in 1 2; do
        # shellcheck disable=SC2086
        t2t-datagen $flags --data_dir=d &
        pid=$!
        sleep $pause
        ! kill -9 $pid 2>/dev/null || killed=$((killed + 1))
        wait $pid 2>/dev/null || true
    done
    # shellcheck disable=SC2086
    t2t-datagen $flags --data_dir=d
    sums d >have
    cmp want have || { diff want have; exit 1; }
done
[ $killed -gt 0 ]
