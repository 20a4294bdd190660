# line n of the output is line n of the input: texts and pieces with a line feed in them
# shellcheck source=tests/cli/t2t-vocab/small_subwords.inc
. "$T2_ROOT/tests/cli/t2t-vocab/small_subwords.inc"
# "the", LF as \10;, "c"
printf '%s\n' "2 4" "2 6 11 10 9 7 4" "3" >ids.txt
t2t-vocab decode --vocab=a.subwords ids.txt || echo "exit $?"
t2t-vocab decode --vocab=a.subwords --as=json ids.txt
t2t-vocab decode --vocab=a.subwords --as=xml ids.txt || echo "exit $?"
t2t-vocab decode --vocab=a.subwords -o out ids.txt || [ -e out ] || echo "no file"
# an entry with line feeds, tabs and escapes: a model of SentencePiece's scores has them
printf '<unk>\t0\n\342\226\201\t-1\na\033[1mb\t-2\nx\ty\t-3\n' >s.vocab
t2t-vocab convert --quiet --lossy --from=spm-vocab --to=sentencepiece -o s.model s.vocab 2>/dev/null
t2t-vocab show --entries s.model | tail -n 2
t2t-vocab lookup --vocab=s.model 2 3
t2t-vocab diff s.model a.subwords | grep 1m
printf '{"model": {"type": "WordPiece", "unk_token": "u", "vocab": {"u": 0, "a\\nb": 1}}, "pre_tokenizer": null}' >w.json
t2t-vocab show --entries w.json | tail -n 1
t2t-vocab lookup --vocab=w.json 1
echo 1 | t2t-vocab decode --vocab=w.json || echo "exit $?"
