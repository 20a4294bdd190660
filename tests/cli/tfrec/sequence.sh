# SequenceExample: context and feature lists, both shapes, there and back.
cat > rows.jsonl <<'X'
{"context":{"id":[1]},"feature_lists":{"a":[[1],[2,3],[]],"b":[],"t":[["x"],{"bytes":[]}]}}
{"feature_lists":{}}
X
tfrec convert --quiet --to=tfrecord -o a.tfrecord rows.jsonl
tfrec cat a.tfrecord | cmp - rows.jsonl
tfrec cat --json=proto a.tfrecord
tfrec cat --json=proto a.tfrecord | tfrec convert --quiet --to=tfrecord -o b.tfrecord -
cmp a.tfrecord b.tfrecord
tfrec head -n 1 --fields=t,id a.tfrecord
