# verify: what it refuses
. "$T2_ROOT/tests/cli/t2t-vocab/small_subwords.inc"
printf '%s\n' the cat >words
refused() {
    t2t-vocab verify "$@" || echo "exit $?"
}
refused a.subwords b.subwords
refused --with=lines.txt a.subwords
refused --with=lines.txt a.subwords none.subwords
refused --with=none.txt a.subwords b.subwords
refused --with=lines.txt -n -1 a.subwords b.subwords
refused --with=lines.txt --unicode=99 a.subwords b.subwords
refused --with=lines.txt a.subwords words
