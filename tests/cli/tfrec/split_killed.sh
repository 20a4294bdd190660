# ended by a signal in the middle: neither shards nor what was held for them is left
printf '{"inputs":[3,1]}\n' | tfrec convert --quiet --to=tfrecord -o one.tfrecord -
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
    cat one.tfrecord one.tfrecord >two
    mv two one.tfrecord
done
for how in --shards=3 --records=5000; do
    mkfifo pipe
    while cat one.tfrecord; do :; done >pipe 2>/dev/null &
    writer=$!
    tfrec split "$how" --quiet -o x - <pipe &
    tfrec=$!
    n=0
    until find . -name '*incomplete*' | grep -q . || [ $n = 100 ]; do
        sleep 0.1
        n=$((n + 1))
    done
    kill -TERM $tfrec
    code=0
    wait $tfrec || code=$?
    echo "exit $code"
    wait $writer || true
    rm pipe
done
ls
