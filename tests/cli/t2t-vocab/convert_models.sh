# convert: codes, WordPiece and SentencePiece BPE there and back; the ids stay
. "$T2_ROOT/tests/cli/t2t-vocab/small_subwords.inc"
same() {
    t2t-vocab verify --with=lines.txt "$1" "$2" | tail -n 1
}
echo "-- subword-nmt"
printf '%s\n' '#version: 0.2' 't h' 'th e</w>' 'a t</w>' 'c at</w>' >x.codes
t2t-vocab convert --to=tokenizer.json -o x.json x.codes
printf '  the cat   sat on that \r\n' >>lines.txt
same x.codes x.json

echo "-- WordPiece"
printf '%s\n' '[PAD]' '[UNK]' '[CLS]' '[SEP]' the cat sat on ma '##t' . a hat >vocab.txt
t2t-vocab convert --from=wordpiece --to=tokenizer.json -o w.json vocab.txt
echo 'The cät [SEP] mat dog.' | t2t-vocab encode --vocab=w.json --as=pieces
t2t-vocab convert --to=wordpiece -o - w.json 2>/dev/null | cmp - vocab.txt
t2t-vocab convert --quiet --from=wordpiece --cased --to=tokenizer.json -o c.json vocab.txt
echo 'The cat' | t2t-vocab encode --vocab=c.json --as=pieces

echo "-- BPE of SentencePiece"
cat >llama.json <<'J'
{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
 "normalizer": {"type": "Sequence", "normalizers": [
  {"type": "Prepend", "prepend": "▁"},
  {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
 "pre_tokenizer": null, "post_processor": null, "decoder": null,
 "model": {"type": "BPE", "dropout": null, "unk_token": "<unk>", "fuse_unk": true,
  "vocab": {"<unk>": 0, "<s>": 1, "▁": 2, "t": 3, "h": 4, "e": 5, "a": 6, "c": 7, "▁t": 8, "he": 9,
   "▁the": 10, "at": 11},
  "merges": ["▁ t", "h e", "▁t he", "a t"]}}
J
t2t-vocab convert --to=sentencepiece -o l.model llama.json
same llama.json l.model
t2t-vocab convert --to=tokenizer.json -o l.json l.model
same l.json l.model
t2t-vocab convert --to=sentencepiece -o - l.json | cmp - l.model
t2t-vocab show l.model | sed -n '/^kind/p;/^size/p;/^special/p'
ls
