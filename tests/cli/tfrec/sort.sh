# Keys of all kinds; stable; what is missing is last.
printf '%s\n' '{"n":[3],"s":["b"]}' '{"n":[1.5],"s":["a"]}' '{"s":["ab"]}' '{"n":[-1],"s":["a"],"x":[1]}' \
    '{"n":[3.0]}' '{"n":["text"],"s":["B"]}' | tfrec convert --quiet --to=tfrecord -o a.tfrecord -
by() { echo "$1: $(tfrec sort --quiet --by="$1" -o - a.tfrecord | tfrec cat --bytes=text - | tr '\n' ' ')"; }
by 'n'
by 'n:desc'
by 's,n'
by 's:desc,n:desc'
by 'len(x):desc,record():desc'
by 'has(s) && s == "a"'
tfrec sort --by='n' -o b@3 --compress=bgzip a.tfrecord
tfrec count b@3
tfrec sort --by='n:up' -o x a.tfrecord || echo "exit $?"
tfrec sort --by='n,' -o x a.tfrecord || echo "exit $?"
tfrec sort -o x a.tfrecord || echo "exit $?"
[ ! -e x ]
