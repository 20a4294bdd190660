# What the original was recorded making of LibriSpeech, made again: all shards byte for byte (keys sorted).
T2_DATA=$(cd "${T2_DATA:-$T2_ROOT/../shared/data}" 2>/dev/null && pwd) || { echo "no T2_DATA" >&2; exit 77; }
run=$T2_DATA/reference-runs/t2t-librispeech
sample=$T2_DATA/librispeech-sample/LibriSpeech
[ -f "$run/SHA256SUMS.sorted" ] && [ -d "$sample" ] || { echo "no t2t-librispeech in T2_DATA" >&2; exit 77; }
t2t-datagen --version | grep -q 'libsndfile\.so' || { echo "no libsndfile" >&2; exit 77; }

mkdir -p tmp/LibriSpeech
for set in train-clean-100 dev-clean test-clean; do cp -r "$sample"/*/ "tmp/LibriSpeech/$set"; done
t2t-datagen --quiet --problem=librispeech_clean_small --data_dir=data --tmp_dir=tmp --offline 2>/dev/null
(cd data && sha256sum -c "$run/SHA256SUMS.sorted") >sums 2>/dev/null || true
same=$(grep -c ': OK$' sums)
total=$(wc -l <"$run/SHA256SUMS.sorted")
echo "$same of $total shards"
[ "$same" -eq "$total" ] && [ "$total" -gt 0 ]
