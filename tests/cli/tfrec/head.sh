# The first records, over all inputs; fields, shapes, bytes; what was read is the same for any -j.
cat > rows.jsonl <<'X'
{"inputs":[3,1],"label":7,"score":[0.1,1.0,1e-7]}
{"inputs":[4,5,1],"label":8,"name":"caf\u00e9 \"x\"\t","raw":{"base64":"/9j/"}}
{"none":[],"label":{"int64":[]},"odd":{"float":["NaN","Infinity",-0.0]}}
X
tfrec convert --quiet --to=tfrecord -o a.tfrecord rows.jsonl
echo '{"label":9}' | tfrec convert --quiet --to=tfrecord -o b.tfrecord -
tfrec head a.tfrecord b.tfrecord
tfrec head -n 2 --fields=label,none --number a.tfrecord
tfrec head -n 1 --json=proto a.tfrecord
tfrec head -n 0 a.tfrecord
tfrec head --bytes=base64 --fields=raw,name a.tfrecord
tfrec head -n 4 -j 2 a.tfrecord b.tfrecord > two
tfrec head -n 4 -j 1 a.tfrecord b.tfrecord | cmp - two
