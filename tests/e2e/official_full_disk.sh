# A disk that fills up while text is unpacked, compiled or written: the file is named, no half file is left; with room
# the same command finishes.
[ "$(id -u)" = 0 ] || { echo 'needs root to mount a small file system' >&2 && exit 77; }
. "$T2_ROOT/tests/e2e/official_common.subr"
mkdir small pack archives
mount -t tmpfs -o size=200k tmpfs small 2>/dev/null || { echo 'cannot mount a tmpfs here' >&2 && exit 77; }
trap 'umount small' EXIT
raw pack 4000
pair pack/newstest2014 5
for name in training-parallel-nc-v12:training/news-commentary-v12.de-en training-parallel-commoncrawl:commoncrawl.de-en \
    training-parallel-europarl-v7:training/europarl-v7.de-en dev:dev/newstest2013 newstest2014:newstest2014; do
    tar -czf "archives/${name%%:*}.tgz" -C pack "${name#*:}.en" "${name#*:}.de"
done
make() { data_download --quiet --data_dir="$1/data" --raw_dir="$1/raw" --archive_dir=archives --noverify_downloads; }
make whole
for size in 200k 350k 600k 800k 1100k; do
    mount -o remount,size=$size small
    rc=0
    make small 2>err || rc=$?
    cat err
    [ $rc = 1 ]
    grep -q 'No space left on device' err
    [ -z "$(find small -name '*incomplete*' -o -name '*manifest*' -o -name '*lock*')" ]
done
mount -o remount,size=20m small
make small
diff -r whole/raw small/raw
diff -r -x '*.manifest.json' whole/data small/data
