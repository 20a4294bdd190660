# A disk that fills up while members are unpacked, pairs are compiled or shards are written: it is said, nothing
# half-made has a final name, and with room the same command finishes.
[ "$(id -u)" = 0 ] || { echo 'needs root to mount a small file system' >&2 && exit 77; }
mkdir small pack
mount -t tmpfs -o size=20m tmpfs small 2>/dev/null || { echo 'cannot mount a tmpfs here' >&2 && exit 77; }
trap 'umount small' EXIT
seq 1 2000 | awk '{ print "Sentence number " $1 " of many words " $1 % 97 "." }' >pack/train.en
seq 1 2000 | awk '{ print "Satz Nummer " $1 " aus vielen Worten " $1 % 89 "." }' >pack/train.vi
head -n 20 pack/train.en >pack/tst2012.en
head -n 20 pack/train.vi >pack/tst2012.vi
mkdir archives
tar -C pack -czf archives/train-en-vi.tgz train.en train.vi
tar -C pack -czf archives/dev-2012-en-vi.tgz tst2012.en tst2012.vi
make_set() { # folder of data and tmp
    (cd "$1" && t2t-datagen --quiet --problem=translate_envi_iwslt32k --data_dir=d --tmp_dir=t --archive_dir="$OLDPWD/archives" --offline --train_shards=3)
}
mkdir whole
make_set whole 2>/dev/null
n_full=0
for kib in 30 80 120 170 200 260 330 400 450 500 560; do
    umount small
    mount -t tmpfs -o size=${kib}k tmpfs small
    rc=0
    make_set small 2>err || rc=$?
    [ $rc = 0 ] && break
    n_full=$((n_full + 1))
    grep -q 'No space left on device' err || { cat err >&2; exit 1; }
    [ -z "$(find small \( -name '*incomplete*' -o -name '*manifest*' \) ! -size 0)" ] || { find small -ls >&2; exit 1; }
    for f in train.en train.vi translate_envi_iwslt32k-compiled-train.lang1; do
        [ ! -e small/t/$f ] || cmp small/t/$f whole/t/$f
    done
    mount -o remount,size=20m small
    make_set small 2>/dev/null
    diff -r -x '*.lock' whole small
done
[ $n_full -ge 5 ]
