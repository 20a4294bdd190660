# A named pipe where an output goes: with a reader it gets the bytes; without one the run ends, also at a signal.  It
# waited for ever, and SIGTERM did not end it.
printf '{"x":"abc"}\n' | tfrec convert --quiet --to=tfrecord -o a -
mkfifo pipe
cat pipe >got &
tfrec merge --quiet -o pipe a
wait $!
cmp a got
rc=0
timeout -k 30 60 tfrec merge -o pipe a 2>log || rc=$?
[ $rc = 1 ] && grep -q "'pipe' is a pipe that nobody reads" log || { echo "exit code $rc" && cat log && exit 1; }
tfrec merge --quiet -o pipe a 2>log &
sleep 1
kill $!
rc=0
wait $! || rc=$?
[ $rc -gt 0 ] && [ -p pipe ]
