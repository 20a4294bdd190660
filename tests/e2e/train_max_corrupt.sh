# --max_corrupt: damaged records are passed over and named at the end; one more ends the run; a run that is
# continued has the bits of one that was not stopped; other damage than at the checkpoint is said.
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 600

flip() { # shard offset
    byte=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
    # shellcheck disable=SC2059 # the format is the byte
    printf "\\$(printf %03o $((byte ^ 4)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

logged() { # log text
    grep -qF -- "$2" "$1" || { echo "$1 does not say '$2':" >&2; cat "$1" >&2; return 1; }
}

train_shard=data/translate_ende_numbers-train-00004-of-00010
dev_shard=$(ls data/translate_ende_numbers-dev-00000-of-*)
size=$(wc -c <$train_shard)
cp $train_shard kept
flip $train_shard 14
flip $train_shard $((size - 1))
flip "$dev_shard" 14

fails 1 train run 8
says run.log "$train_shard': record 0 at offset 0"
fails 1 train run 8 --max_corrupt=1
says run.log 'more than 1 damaged records (--max_corrupt), the first of them'
fails 2 train run 8 --max_corrupt=-1
[ ! -e run ]

train run 8 --max_corrupt=2
logged run.log '2 damaged and passed over'
logged run.log '2 damaged records of the train shards were passed over (--max_corrupt=2)'
logged run.log "  '$train_shard': record 0 at offset 0: "
logged run.log '1 damaged record of the dev shards was passed over (--max_corrupt=2)'
logged run.log "  '$dev_shard': record 0 at offset 0: "
grep -q '"damaged": 2' run/run.json
grep -q '"damage_crc": ' run/state-8.json

train two 4 --max_corrupt=2
train two 8 --max_corrupt=2
cmp run/model-8.safetensors two/model-8.safetensors
if grep -q 'other damaged records' two.log; then
    exit 1
fi
# without the flag the damage ends it, as ever
fails 1 train two 12
says two.log "$train_shard': record 0 at offset 0"
# mended meanwhile: it is said that other samples follow, or the position is refused
cp kept $train_shard
train two 12 --max_corrupt=2 || says two.log 'samples'
logged two.log 'other damaged records' || says two.log 'samples'

# the evaluation alone
train run 8 --max_corrupt=1 --schedule=evaluate >scores
logged run.log '1 damaged record of the dev shards'
grep -q 'loss = ' scores
