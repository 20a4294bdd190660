echo '{"a":[1],"b":[2]}' | tfrec convert --quiet --to=tfrecord -o a.tfrecord -
echo '{"context":{"a":[1]},"feature_lists":{"s":[[1],[2]]}}' |
    tfrec convert --quiet --to=tfrecord -o s.tfrecord -
try() { tfrec project "$@" && exit 9 || echo "exit $?"; }
try -o x a.tfrecord
try --keep=a a.tfrecord
try --keep=a --drop=b -o x a.tfrecord
try --keep=a,,b -o x a.tfrecord
try --rename=a -o x a.tfrecord
try --rename=a:c,b:c -o x a.tfrecord
try --rename=a:c,a:d -o x a.tfrecord
try --rename=a:b -o x a.tfrecord
try --keep=a -o x s.tfrecord
[ ! -e x ]
