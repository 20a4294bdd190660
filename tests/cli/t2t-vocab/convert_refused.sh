# convert: wrong usage, wrong kinds, places that cannot be written
. "$T2_ROOT/tests/cli/t2t-vocab/small_subwords.inc"
refused() {
    t2t-vocab convert "$@" || echo "exit $?"
}
refused a.subwords
refused --to=official a.subwords
refused --to=official -o out
refused --to=official -o out a.subwords b.subwords
refused --to=officials -o out a.subwords
refused --from=t3t --to=official -o out a.subwords
refused --from=tiktoken --to=official -o out a.subwords
refused --to=official -o out none
refused --to=official -o /dev/null/out a.subwords
printf '{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}}' >broken.json
refused --to=sentencepiece -o out broken.json
ls
