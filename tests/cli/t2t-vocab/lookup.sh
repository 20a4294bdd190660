# entries to ids, ids to entries
# shellcheck source=tests/cli/t2t-vocab/texts.inc
. "$T2_ROOT/tests/cli/t2t-vocab/texts.inc"
t2t-vocab build --quiet --target_size=100 -o v text.txt
t2t-vocab lookup --vocab=v the_ 0 1 17
printf '<pad>\n<EOS>\nthe\n1989\n3\n=\n-\n' >list
t2t-vocab lookup --vocab=list the 3 =3 =1989 = ==
no() { t2t-vocab lookup "$@" || echo "exit $?"; }
no --vocab=list the none 2
no --vocab=list 7
no --vocab=list -- -1
no --vocab=list -- -
no --vocab=list =
no --vocab=list 99999999999999999999
no
no the
no --vocab=list
no --vocab=nothing the
