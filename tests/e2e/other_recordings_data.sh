# The oracle tests know no number of their recordings: they pass on others of the same layout, too.  What is made here
# computes nothing (tests/support/other_recordings.py): batches twice, other parameters of optimizers.
data=${T2_DATA:-$T2_ROOT/../shared/data}
[ -d "$data/oracles" ] || { echo "no oracles in T2_DATA" >&2; exit 77; }
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
tests=$(dirname "$(command -v tfrec)")/../tests/oracle
rc=0 n=0
python3 "$T2_ROOT/tests/support/other_recordings.py" "$data" other
for test in recorded_byte_net recorded_cnn recorded_flowers recorded_transformer official_transformer optimizers; do
    [ -x "$tests/test_$test" ] || continue
    n=$((n + 1))
    T2_DATA=$PWD/other "$tests/test_$test" >log 2>&1 || { rc=1 && cat log; }
done
[ $n -gt 0 ] || { echo "the oracle tests are not built: make check builds them" >&2; exit 77; }
exit $rc
