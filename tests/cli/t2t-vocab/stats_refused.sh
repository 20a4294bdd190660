# stats: what it refuses
. "$T2_ROOT/tests/cli/t2t-vocab/small_subwords.inc"
printf '%s\n' the cat >words
refused() {
    t2t-vocab stats "$@" || echo "exit $?"
}
refused lines.txt
refused --vocab=none lines.txt
refused --vocab=a.subwords none.txt
refused --vocab=a.subwords -n 1001 lines.txt
refused --vocab=a.subwords --unicode=99 lines.txt
refused --vocab=words lines.txt
