# Mistakes in expressions and flags; records that are no Examples.
echo '{"a":[1]}' | tfrec convert --quiet --to=tfrecord -o a.tfrecord -
try() { tfrec "$@" && exit 9 || echo "exit $?"; }
try filter a.tfrecord
try filter --where='len(a) <' a.tfrecord
try filter --where='a = 1' a.tfrecord
try filter --where='a =~ "("' a.tfrecord
try filter --where='size(a) == 1' a.tfrecord
try filter --where='a' --compress=gzip a.tfrecord
try filter --where='a' --count -o b a.tfrecord
try filter --where='a' --compress=rar -o b a.tfrecord
try filter --where='a' absent.tfrecord
echo text | tfrec convert --quiet --to=tfrecord --from=lines -o t.tfrecord - 2>/dev/null ||
    printf '\005\000\000\000\000\000\000\000' >t.tfrecord
try filter --where='a' t.tfrecord
[ ! -e b ]
