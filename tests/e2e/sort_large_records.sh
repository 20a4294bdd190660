# Records of 4 MB, sorted by all their bytes: what is merged at a time fits into --max_memory, however many runs there
# are.  (Each of them had its largest item in memory: twice the input, whatever the limit.)
[ -x /usr/bin/time ] || { echo "no /usr/bin/time" >&2; exit 77; }
# Not with sanitizers: their memory is another
for i in 5 3 9 1 7 2 8 4 6 0 5 3 9 1 7 2 8 4 6 0 5 3 9 1 7 2 8 4 6 0 5 3 9 1 7 2 8 4 6 0; do
    printf '{"text":["' && head -c 4000000 /dev/zero | tr '\0' $i && printf '"]}\n'
done | tfrec convert --quiet --from=jsonl --to=tfrecord -o a.tfrecord -
/usr/bin/time -f %M -o kb tfrec sort --quiet --by=text --max_memory=16M -o few -j 1 a.tfrecord
tfrec sort --quiet --by=text --max_memory=1G -o many -j 1 a.tfrecord
cmp few many
kb=$(tail -n 1 kb)
# the input alone has 160 MB
[ "$kb" -lt 140000 ] || { echo "$kb kB" && exit 1; }
