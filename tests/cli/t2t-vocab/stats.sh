# stats: counts, percentiles, max_length, the longest lines, what is unused; JSON; any number of threads
. "$T2_ROOT/tests/cli/t2t-vocab/small_subwords.inc"
t2t-vocab stats --vocab=a.subwords lines.txt
echo "-- escaped: a letter that the vocabulary does not have is five tokens"
printf 'the z\n' | t2t-vocab stats --vocab=a.subwords --json
echo "-- unknown words"
printf '%s\n' '<pad>' '<UNK>' the cat >words
t2t-vocab stats -n 2 --vocab=words lines.txt
echo "-- nothing"
t2t-vocab stats -n 0 --vocab=a.subwords </dev/null
echo "-- 0 to 999 bytes"
awk 'BEGIN { for (i = 0; i < 1000; ++i) { print s; s = s "x" } }' >lengths
t2t-vocab stats -n 1 --vocab=bytes lengths | sed -n '/tokens of a line/,$p'
echo "-- any number of threads"
cat lengths lengths lengths lengths lengths >many
for j in 1 2; do
    t2t-vocab stats --quiet -j $j --vocab=bytes many >out$j
done
cmp out1 out2
echo "-- encoders by name; integers have no size"
printf '3 5 900\n7\n' | t2t-vocab stats -n 2 --vocab=integers
printf 'ACGTN\n' | t2t-vocab stats --json --vocab=dna:2
