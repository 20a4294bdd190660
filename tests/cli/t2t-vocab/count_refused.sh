# wrong usage, and inputs that cannot be read
printf 'a b\n' >text.txt
no() { t2t-vocab count "$@" </dev/null || echo "exit $?"; }
no
no text.txt
no -o c
for task in 1 1/ /2 2/2 -1/2 1/2/3 a/b 0/0; do no -o c --task=$task text.txt; done
no -o c --unicode=1 text.txt
no -o c --column=1 --feature=a text.txt
no -o c nothing.txt
no -o /dev/null/c text.txt
no -o /dev/full text.txt
printf 'ok\na\377\n' >bad.txt
no -o c bad.txt
ls c* 2>/dev/null || echo none
