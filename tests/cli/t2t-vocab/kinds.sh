# kinds that look like others: said, not guessed
try() {
    t2t-vocab "$@" || echo "exit $?"
}
printf '%s\n' '[PAD]' '[UNK]' the '##s' >bert.txt
printf '<unk>\n<s>\n</s>\n\342\226\201the\n\342\226\201c\nat\n' >wpm.txt
printf '<unk>\t0\n<s>\t0\n</s>\t0\n\342\226\201\t-2\n\342\226\201the\t-3.5\na\t-4\nt\t-4.25\n' >spm.vocab
printf '<unk>\t0\n<s>\t1\nthe\t2\n' >ids.txt
for f in bert.txt wpm.txt spm.vocab ids.txt; do
    echo 'the cat' | try encode --vocab=$f
done
t2t-vocab show --entries wpm.txt | tail -n 2
try convert --from=spm-vocab --to=sentencepiece -o x.model spm.vocab
t2t-vocab convert --lossy --from=spm-vocab --to=sentencepiece -o x.model spm.vocab 2>/dev/null
t2t-vocab show x.model | sed -n 2,4p
echo 'the at' | try encode --vocab=x.model --as=pieces
try convert --from=spm-vocab --to=sentencepiece -o y.model ids.txt
try convert --from=spm-vocab --to=sentencepiece -o y.model wpm.txt
# what show calls a kind, convert takes
# shellcheck source=tests/cli/t2t-vocab/small_subwords.inc
. "$T2_ROOT/tests/cli/t2t-vocab/small_subwords.inc"
t2t-vocab show a.subwords | grep ^kind
t2t-vocab convert --from=subwords --to=t2t -o - a.subwords | cmp - a.subwords
t2t-vocab convert --to=subwords -o - a.subwords | cmp - a.subwords
t2t-vocab convert --lossy --to=tokens -o - a.subwords 2>/dev/null | head -n 3
# subwords as tokenizer.json: with --lossy only, and what differs is said
try convert --to=tokenizer.json -o t.json a.subwords
t2t-vocab convert --quiet --lossy --to=tokenizer.json -o t.json a.subwords 2>/dev/null
sed -n '/"model"/,$p' t.json | tr -d ' \n' | cut -c1-150
