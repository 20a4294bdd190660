# A disk that fills up: the file is named, no half file under a final name; with room the same
# command finishes.
[ "$(id -u)" = 0 ] || { echo 'needs root to mount a small file system' >&2 && exit 77; }
mkdir small
mount -t tmpfs -o size=700k tmpfs small 2>/dev/null || { echo 'cannot mount a tmpfs here' >&2 && exit 77; }
trap 'umount small' EXIT
make_data() { t2t-datagen --quiet --problem=translate_ende_numbers --max_cases=20000 --data_dir=$1; }
for memory in 256M 0; do
    rc=0
    t2t-datagen --quiet --problem=translate_ende_numbers --max_cases=20000 --data_dir=small/d --shuffle_memory=$memory 2>err || rc=$?
    cat err
    [ $rc = 1 ]
    grep -q 'No space left on device' err
    [ -z "$(find small/d -name "*incomplete*" -o -name "*manifest*" -o -name "*lock*")" ]
done
mount -o remount,size=20m small
make_data small/d
make_data whole
diff -r whole small/d
