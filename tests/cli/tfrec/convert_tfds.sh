# a folder of TensorFlow Datasets: splits and counts by dataset_info.json, which is believed only if true
mkdir d
printf '{"text":"a"}\n{"text":"b"}\n' | tfrec convert --quiet --to=tfrecord -o d/tiny-train.tfrecord-00000-of-00002 -
printf '{"text":"c"}\n' | tfrec convert --quiet --to=tfrecord -o d/tiny-train.tfrecord-00001-of-00002 -
printf '{"text":"t"}\n' | tfrec convert --quiet --to=tfrecord -o d/tiny-test.tfrecord-00000-of-00001 -
info() { # train's shard lengths
    printf '{"name":"tiny","version":"1.0.0","fileFormat":"tfrecord","splits":[
      {"name":"test","shardLengths":["1"],"numBytes":"20","filepathTemplate":"{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}"},
      {"name":"train","shardLengths":%s,"numBytes":"60","filepathTemplate":"{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}"}]}' "$1" >d/dataset_info.json
}
info '["2","1"]'
tfrec convert --to=jsonl -o - d
tfrec convert --quiet --split=train --to=jsonl -o - d
tfrec convert --quiet --split=validation --to=jsonl -o - d || echo "exit $?"
info '["1","2"]'
tfrec convert --quiet -o x.tfrecord d || echo "exit $?"
info '["2","2"]'
tfrec convert --quiet -o x.tfrecord d || echo "exit $?"
info '["2","1","1"]'
tfrec convert --quiet -o x.tfrecord d || echo "exit $?"
info '[]'
tfrec convert --quiet -o x.tfrecord d || echo "exit $?"
sed -i 's/"fileFormat":"tfrecord"/"fileFormat":"array_record"/' d/dataset_info.json
tfrec convert --quiet -o x.tfrecord d || echo "exit $?"
echo '{}' >d/dataset_info.json
tfrec convert --quiet -o x.tfrecord d || echo "exit $?"
[ ! -e x.tfrecord ]
