# An oracle test that goes through an index counts against the data: with half an index it fails.
data=${T2_DATA:-$T2_ROOT/../shared/data}
[ -d "$data/goldens" ] && [ -d "$data/oracles" ] || { echo "no goldens or oracles in T2_DATA" >&2; exit 77; }
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
tests=$(dirname "$(command -v tfrec)")/../tests/oracle
# a test that fails leaves what it holds
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
rc=0 n=0
while read -r test index key; do
    [ -x "$tests/test_$test" ] && [ -f "$data/$index" ] || continue
    n=$((n + 1))
    rm -rf half
    python3 "$T2_ROOT/tests/support/half_indexes.py" "$data" half "$index" "$key"
    ! T2_DATA=$PWD/half "$tests/test_$test" >log 2>&1 || { echo "$test passes with half of $index" && rc=1; }
done <<'LIST'
admit_goldens goldens/hostile/expected.json
archive_hostile goldens/hostile/expected.json
compile_hostile goldens/hostile/expected.json
datagen_hostile goldens/hostile/expected.json
colour_goldens goldens/images/sampler.tf1.json configurations
event_goldens goldens/formats/events.json
example_oddities goldens/formats/example-cases.json examples
row_goldens goldens/formats/example-cases.json examples
window_goldens goldens/images/pipeline-cases.json photos
safetensors_verdicts goldens/formats/safetensors-verdicts.json files
optimizers oracles/optimizers/index.json configurations
optimizers oracles/optimizers/keras.json configurations
LIST
[ $n -gt 0 ] || { echo "the oracle tests are not built: make check builds them" >&2; exit 77; }
exit $rc
