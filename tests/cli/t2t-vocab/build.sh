# a vocabulary: the bisection as the originals print it, the plan first, the same bytes for any number of
# threads, parts, inputs and formats
# shellcheck source=tests/cli/t2t-vocab/texts.inc
. "$T2_ROOT/tests/cli/t2t-vocab/texts.inc"
t2t-vocab build -j1 --target_size=100 -o a.subwords text.txt
head -n 12 a.subwords
t2t-vocab build --quiet -j1 --target_size=100 -o one text.txt
t2t-vocab build --quiet -j2 --target_size=100 -o two text.txt
cmp a.subwords one && cmp one two && echo "threads: same bytes"
for i in 0 1 2; do t2t-vocab count --quiet --task=$i/3 -o part$i.counts text.txt; done
t2t-vocab build --quiet --target_size=100 -o parts --counts part2.counts part0.counts part1.counts
cmp a.subwords parts && echo "counts of three tasks: same bytes"
head -n 200 text.txt >1.txt
tail -n +201 text.txt | gzip >2.txt.gz
t2t-vocab build --quiet --target_size=100 -o cut 2.txt.gz 1.txt
cmp a.subwords cut && echo "two files, one gzip: same bytes"
t2t-vocab build --quiet --target_size=100 -o stdin - <text.txt
cmp a.subwords stdin && echo "standard input: same bytes"
awk '{ print NR "\t" $0 "\t" }' text.txt >text.tsv
t2t-vocab build --quiet --target_size=100 --column=2 -o tsv text.tsv
cmp a.subwords tsv && echo "column: same bytes"
sed 's/\\/&&/g; s/.*/{"id":1,"de":"&"}/' text.txt >text.jsonl
t2t-vocab build --quiet --target_size=100 --field=de -o jsonl text.jsonl
cmp a.subwords jsonl && echo "JSON Lines: same bytes"
tfrec convert --quiet --to=tfrecord -o text.tfrecord text.jsonl
t2t-vocab build --quiet --target_size=100 --feature=de -o tfrecord text.tfrecord
cmp a.subwords tfrecord && echo "TFRecord: same bytes"
sed 's/$/\r/; s/^/ \t/' text.txt >crlf.txt
t2t-vocab build --quiet --target_size=100 -o crlf crlf.txt
cmp a.subwords crlf && echo "CR and blanks at the ends: same bytes"
ls ./*.incomplete 2>/dev/null || echo "nothing half-made"
