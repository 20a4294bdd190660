# A shard that is cut short, has one bit flipped, or is missing: the message names shard, record and
# offset, nothing is written, and with the shard back the same command works.
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 600
shard=data/translate_ende_numbers-train-00004-of-00010
cp $shard kept
size=$(wc -c <kept)

flip() { # offset
    byte=$(od -An -tu1 -j "$1" -N 1 kept | tr -d ' ')
    cp kept $shard
    # shellcheck disable=SC2059 # the format is the byte
    printf "\\$(printf %03o $((byte ^ 4)))" | dd of=$shard bs=1 seek="$1" conv=notrunc 2>/dev/null
}

for offset in $((size / 3)) $((size / 2)) $((size - 2)); do
    flip $offset
    fails 1 train run 4
    says run.log "$shard': record "
    says run.log ' at offset '
done
for n in 1 5 20; do
    head -c $((size - n)) kept >$shard
    fails 1 train run 4
    says run.log "$shard': record "
    says run.log 'cut short'
done
: >$shard
fails 1 train run 4
says run.log 'says'
rm $shard
fails 1 train run 4
says run.log '00004'
mkdir $shard
fails 1 train run 4
says run.log "$shard"
rmdir $shard
[ ! -e run ]
cp kept $shard
train run 4
[ -f run/model-4.safetensors ]
