# words and their counts: order, escapes, tasks, formats, threads
# shellcheck source=tests/cli/t2t-vocab/texts.inc
. "$T2_ROOT/tests/cli/t2t-vocab/texts.inc"
head -n 10 text.txt >ten.txt
t2t-vocab count -o - ten.txt
# a word may hold what would end a line of the file
printf 'a\\b\n' | t2t-vocab count --quiet -o - -
printf '{"t":"a\\nb\\r\\n\\tc"}\n' >odd.jsonl
t2t-vocab count --quiet -o odd.counts --field=t odd.jsonl
cat -v odd.counts
t2t-vocab count --quiet -j1 -o one text.txt
t2t-vocab count --quiet -j2 -o two text.txt
cmp one two && echo "threads: same bytes"
cat text.txt text.txt text.txt | gzip >three.gz
t2t-vocab count --quiet -o three three.gz
t2t-vocab count --quiet -o thrice text.txt text.txt text.txt
cmp three thrice && echo "gzip: same bytes"
# parts add up to the whole
for i in 0 1 2 3; do t2t-vocab count --quiet --task=$i/4 -o part$i text.txt text.txt text.txt; done
cat part? | awk '$0 != "t2t.c word counts 1" { n = $1; sub(/^[0-9]+ /, ""); sum[$0] += n }
    END { for (w in sum) print sum[w] " " w }' | LC_ALL=C sort >added
tail -n +2 thrice | LC_ALL=C sort >whole
cmp added whole && echo "tasks: the same sums"
: >empty.txt
t2t-vocab count -o - empty.txt
ls ./*.incomplete 2>/dev/null || echo "nothing half-made"
