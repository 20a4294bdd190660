# A disk that fills up: the file is named, no half file under a final name; with room the same
# command finishes.
[ "$(id -u)" = 0 ] || { echo 'needs root to mount a small file system' >&2 && exit 77; }
mkdir small
mount -t tmpfs -o size=700k tmpfs small 2>/dev/null || { echo 'cannot mount a tmpfs here' >&2 && exit 77; }
trap 'umount small' EXIT
make_data() { t2t-datagen --quiet --problem=translate_ende_numbers --max_cases=20000 --data_dir=$1; }
for memory in 256M 0; do
    rc=0
    t2t-datagen --quiet --problem=translate_ende_numbers --max_cases=20000 --data_dir=small/d --shuffle_memory=$memory --ignore_space 2>err || rc=$?
    cat err
    [ $rc = 1 ]
    grep -q 'No space left on device' err
    [ -z "$(find small/d -name "*incomplete*" -o -name "*manifest*" -o -name "*lock*")" ]
done
mount -o remount,size=20m small
make_data small/d
make_data whole
diff -r whole small/d
# full at any write: the vocabulary, a scratch file, a shard, the manifest
for kib in 4 8 16 20 24 40 60 90 130 200 300 420; do
    umount small
    mount -t tmpfs -o size=${kib}k tmpfs small
    i=0
    while [ $i -lt 400 ]; do i=$((i + 1)); echo "line $i with words$((i % 97)) and $((i * 7919 % 1009))"; done >text
    rc=0
    t2t-datagen --quiet --name=mine --train=text,text --dev=text,text --vocab_size=300 --num_shards=5 --shuffle_memory=$((kib % 3 * 5000)) --data_dir=small/d 2>err || rc=$?
    [ $rc = 0 ] && break
    grep -q 'No space left on device' err || { cat err; exit 1; }
    [ -z "$(find small/d \( -name "*incomplete*" -o -name "*manifest*" -o -name "*lock*" \) ! -size 0)" ] || { ls -l small/d; exit 1; }
    mount -o remount,size=20m small
    t2t-datagen --quiet --name=mine --train=text,text --dev=text,text --vocab_size=300 --num_shards=5 --data_dir=small/d
    [ -d mine ] || t2t-datagen --quiet --name=mine --train=text,text --dev=text,text --vocab_size=300 --num_shards=5 --data_dir=mine
    diff -r mine small/d
done
