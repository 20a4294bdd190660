# The columns of an index answer the same as the records.
i=0
while [ $i -lt 120 ]; do
    case $((i % 4)) in
    0) echo "{\"id\":[$i],\"label\":[$((i % 7))],\"text\":[\"t$i\"]}" ;;
    1) echo "{\"id\":[$i],\"score\":[$i.5],\"text\":[]}" ;;
    2) echo "{\"id\":[$i,1],\"label\":[$((i % 7)),2]}" ;;
    3) echo "{\"id\":[$i],\"label\":{\"int64\":[]},\"text\":[\"a\",\"b\"]}" ;;
    esac
    i=$((i + 1))
done >rows.jsonl
tfrec convert --quiet --to=tfrecord -o a.tfrecord rows.jsonl
tfrec convert --quiet --to=tfrecord --compress=bgzip -o b.tfrecord rows.jsonl
tfrec convert --quiet --to=tfrecord --compress=gzip -o c.tfrecord rows.jsonl
for f in a b c; do tfrec index --quiet --with=label,score,text,nothing $f.tfrecord >/dev/null; done
tfrec filter --count --explain --where='label == 3' a.tfrecord
tfrec filter --count --explain --where='id == 3' a.tfrecord
tfrec filter --count --explain --where='max(label) == 3' a.tfrecord
tfrec filter --count --explain --where='label == 3' --json a.tfrecord b.tfrecord c.tfrecord
tfrec filter --explain --where='label == 3' -o x c.tfrecord
for where in 'label == 3' '!(label == 3)' 'len(text) == 2' '!has(text)' \
    'score > 50 && record() < 700' 'nothing == 1 || bytes() < 40' 'text[0] == "t8"'; do
    for f in a b; do
        tfrec filter --where="$where" $f.tfrecord $f.tfrecord --number >by_index
        tfrec filter --where="$where" $f.tfrecord $f.tfrecord --number --no_index >by_reading
        cmp by_index by_reading
        tfrec filter --where="$where" --quiet -o one $f.tfrecord $f.tfrecord
        tfrec filter --where="$where" --quiet -o two --no_index $f.tfrecord $f.tfrecord
        cmp one two
        [ "$(tfrec filter --where="$where" --count $f.tfrecord)" = \
            "$(tfrec filter --where="$where" --count --no_index $f.tfrecord)" ]
    done
    wc -l <by_index
done
# A stale index is not used.
tfrec convert --quiet --to=tfrecord -o a.tfrecord - <<'END'
{"label":[3]}
END
tfrec filter --count --where='label == 3' a.tfrecord
# by index, too
tfrec filter --where='Label == 3' --count *.tfrecord
