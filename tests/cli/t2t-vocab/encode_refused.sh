# wrong usage, texts that have no ids, files that cannot be read
printf '<pad>\n<EOS>\nthe\n' >list
echo 'the' >text.txt
no() { t2t-vocab encode "$@" <text.txt || echo "exit $?"; }
no
no --vocab=nothing
no --vocab=list --as=words
no --vocab=list --unicode=1
no --vocab=list --column=1 --field=a
no --vocab=list nothing.txt
no --vocab=list -o /dev/null/out text.txt
no --vocab=list --output=/dev/full text.txt
printf 'the\nthe cat\n' >cat.txt
no --vocab=list -o out cat.txt
printf 'a\nthe\n' >words
no --vocab=words --add_eos -o out text.txt
printf 'a\nb c\n' >line
no --vocab=line
: >empty
no --vocab=empty
printf "'<pad>_'\nbare\n" >quotes
no --vocab=quotes
ls out* 2>/dev/null || echo none
