# two editors: the second is kept out; a lock file that was left behind keeps nobody out
. "$T2_ROOT/tests/cli/tfrec/edit_set.inc"
: >d/x.lock
examples 20 20 '' more.tfrecord
mkfifo pipe
tfrec append --quiet d pipe >first &
exec 3>pipe # the first editor reads, and waits for the rest
cat more.tfrecord >&3
n=0
until [ -d d/.x.edit ] || [ $n -eq 50 ]; do
    sleep 0.1
    n=$((n + 1))
done
code=0
tfrec remove --records=0 d 2>message || code=$?
echo "exit $code: $(sed 's/process [0-9]*/process N/' message)"
tfrec remove --dry_run --records=0 d # looks only
exec 3>&-
wait
cat first
ls -A d
