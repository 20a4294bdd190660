# Features kept, dropped, renamed; the rest as protobuf writes it.
printf '%s\n' '{"a":[1,-2],"b":["x"],"c":[0.5],"d":[]}' '{"b":["y","z"],"a":{"int64":[]}}' '{}' |
    tfrec convert --quiet --to=tfrecord -o a.tfrecord -
tfrec project --quiet --keep=b,d -o - a.tfrecord | tfrec cat -
tfrec project --quiet --drop=b,c -o - a.tfrecord | tfrec cat -
tfrec project --quiet --rename=b:z,c:b -o - a.tfrecord | tfrec cat -
tfrec project --quiet --keep=b --rename=b:a -o - a.tfrecord | tfrec cat -
tfrec project --rename=typo:x -o same.tfrecord a.tfrecord
cmp a.tfrecord same.tfrecord
