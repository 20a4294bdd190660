# convert: what is not exact is said and refused, and written with --lossy; never half a file
. "$T2_ROOT/tests/cli/t2t-vocab/small_subwords.inc"
refused() {
    t2t-vocab convert -o out "$@" || echo "exit $?"
    for f in *out*; do
        [ ! -e "$f" ] || echo "$f"
    done
}
lossy() {
    refused "$@"
    t2t-vocab convert --quiet --lossy -o out "$@" 2>/dev/null
    ls out
}
echo "-- a list"
printf "'%s'\n" 'a b' '' >>a.subwords
lossy --to=list a.subwords
tail -n 3 out
rm out
echo "-- entries that equal reserved ones"
printf "'%s'\n" '<EOS>' x >>a.subwords
lossy --to=official a.subwords
rm out
sed 1,2d b.subwords | sed "1s/.*/'<pad>_'/" >c.subwords
lossy --to=official c.subwords
rm out
echo "-- unigram"
cat >u.json <<'J'
{"version": "1.0", "added_tokens": [
  {"id": 0, "content": "<unk>", "special": true, "normalized": false}],
 "normalizer": {"type": "Sequence", "normalizers": [{"type": "Nmt"}, {"type": "NFKC"}]},
 "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
 "post_processor": null, "decoder": {"type": "Metaspace"},
 "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["▁", -2.5], ["t", -3], ["▁the", -4],
  ["at", -3.25], ["c", -4.5]]}}
J
lossy --to=sentencepiece u.json
t2t-vocab verify --with=lines.txt u.json out | tail -n 1
mv out u.model
lossy --to=tokenizer.json u.model
t2t-vocab verify --with=lines.txt out u.model | tail -n 1
rm out
echo "-- no conversion"
refused --to=sentencepiece a.subwords
refused --to=tiktoken u.json
refused --to=wordpiece u.json
printf '%s\n' the cat >words
refused --from=wordpiece --to=tokenizer.json words
