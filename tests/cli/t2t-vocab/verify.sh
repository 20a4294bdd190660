# verify: equal ids; the lines that differ, their place; JSON; any number of threads; a column
. "$T2_ROOT/tests/cli/t2t-vocab/small_subwords.inc"
t2t-vocab verify --with=lines.txt a.subwords a.subwords
echo "-- one entry more"
t2t-vocab verify --with=lines.txt a.subwords b.subwords || echo "exit $?"
t2t-vocab verify --with=lines.txt -n 0 a.subwords b.subwords || echo "exit $?"
t2t-vocab verify --json --with=lines.txt a.subwords b.subwords || echo "exit $?"
echo "-- bytes; the place is shown with what stands before"
printf 'abcdefgh on\n' | t2t-vocab verify --with=- bytes bytes
printf 'the the the on the\n' | t2t-vocab verify --with=- a.subwords b.subwords || echo "exit $?"
echo "-- any number of threads"
awk '{ for (i = 0; i < 40000; ++i) print }' lines.txt >many
for j in 1 2; do
    t2t-vocab verify --quiet -j $j -n 7 --with=many a.subwords b.subwords >out$j || echo "exit $?"
done
cmp out1 out2
tail -n 1 out1
printf 'x\tthe cat\n' | t2t-vocab verify --column=2 --with=- a.subwords b.subwords
echo "-- encoders by name"
printf 'ACGT\nA\n' | t2t-vocab verify --with=- dna:2 dna:2
printf 'ACGTA\n' | t2t-vocab verify --with=- dna:2 dna:3 || echo "exit $?"
