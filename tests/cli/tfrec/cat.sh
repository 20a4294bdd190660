# All records; there and back; raw and framed; a closed pipe ends it quietly.
i=0
while [ $i -lt 3000 ]; do
    echo "{\"id\":[$i],\"text\":[\"line $i\"],\"x\":[$i.5]}"
    i=$((i + 1))
done > rows.jsonl
tfrec convert --quiet --to=tfrecord -o a.tfrecord rows.jsonl
tfrec cat -j 1 a.tfrecord | cmp - rows.jsonl
tfrec cat -j 2 a.tfrecord | cmp - rows.jsonl
tfrec cat --json=proto a.tfrecord | tfrec convert --quiet --to=tfrecord -o b.tfrecord -
cmp a.tfrecord b.tfrecord
tfrec cat --raw --framed -j 2 a.tfrecord | cmp - a.tfrecord
gzip -k a.tfrecord
tfrec cat -j 2 a.tfrecord.gz | cmp - rows.jsonl
tfrec cat - < a.tfrecord | cmp - rows.jsonl
tfrec cat a.tfrecord | head -n 1
{ tfrec cat a.tfrecord a.tfrecord a.tfrecord; } 2>err | head -n 1
cat err
printf '\005\000\000\000\000\000\000\000\352\262\004\076hello\273\037\034\031' > hello.tfrecord
tfrec cat --raw hello.tfrecord hello.tfrecord && echo
