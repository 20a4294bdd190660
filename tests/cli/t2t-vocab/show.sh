# what a vocabulary is, and its entries
# shellcheck source=tests/cli/t2t-vocab/texts.inc
. "$T2_ROOT/tests/cli/t2t-vocab/texts.inc"
t2t-vocab build --quiet --target_size=60 -o v text.txt
t2t-vocab show v
t2t-vocab show --json v
t2t-vocab show --entries -n 5 v
t2t-vocab show --entries --first=58 v
t2t-vocab show --entries --first=2 -n 3 --json v
t2t-vocab show -n 0 --entries v | tail -n 1
printf '<pad>\n<EOS>\nthe\n<UNK>\n' >list
t2t-vocab show list
printf "'<pad>_'\n'<EOS>_'\n'a\\\\\\\\b_'\n'a'\n'_'\n" >quoted
t2t-vocab show --entries quoted
# an entry with a TAB
printf "'<pad>_'\n'<EOS>_'\n'\t_'\n'_'\n" >tab
t2t-vocab show --entries tab | tail -n 2
no() { t2t-vocab show "$@" || echo "exit $?"; }
no
no v v
no nothing
no .
no --first=-1 v
no --first=99999 v
printf 'a\377\n' >bad
no bad
t2t-vocab show v >/dev/full || echo "exit $?"
