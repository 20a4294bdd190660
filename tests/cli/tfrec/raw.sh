# Payloads at wire level, as protoc --decode_raw prints them.
printf '%s\n' '{"a":[1,2],"b":["x\n"],"c":[0.5]}' | tfrec convert --quiet --to=tfrecord -o a.tfrecord -
tfrec raw a.tfrecord
tfrec raw --json a.tfrecord
tfrec raw -n 0 a.tfrecord
printf '\005\000\000\000\000\000\000\000\352\262\004\076hello\273\037\034\031' > hello.tfrecord
tfrec raw a.tfrecord hello.tfrecord || echo "exit $?"
