# Ranks write a checkpoint together, each its part of both files.  A rank that cannot write its part ends all: nothing has
# a final name, the checkpoint before is whole, and the same command goes on to the bits of a straight run.  Where a rank
# does not see the folder, rank 0 writes alone, the same files.
. "$T2_ROOT/tests/e2e/train_common.subr"
. "$T2_ROOT/tests/e2e/ranks.subr"
need_mpirun
data data 600
flags="--num_threads=1 --schedule=train --save_checkpoints_steps=3
    --hparams=hidden_size=96,filter_size=192,num_heads=2,num_hidden_layers=2,batch_size=256"
same() { # two folders, step
    cmp "$1/model-$3.safetensors" "$2/model-$3.safetensors"
    cmp "$1/optimizer-$3.safetensors" "$2/optimizer-$3.safetensors"
}
# shellcheck disable=SC2086
train straight 9 $flags --worker_gpu=2

# rank 1 may write no file as large as a model's, whose end is its part; rank 0 may
cat >limited.sh <<'END'
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 1 ] || { trap '' XFSZ; ulimit -f "$BLOCKS"; }
exec "$@"
END
BLOCKS=$(($(wc -c <straight/model-3.safetensors) / 512 - 64))
export BLOCKS
for how in "" --shard_optimizer; do
    run=failed$how
    # shellcheck disable=SC2086
    ranks 2 "$run" 3 $flags $how
    [ -e "$run/state-3.json" ]
    # shellcheck disable=SC2086
    ! (launch="$mpirun $options -n 2 sh ./limited.sh" && train "$run" 9 $flags $how)
    grep -q "step 6 could not be saved (the checkpoint of step 3 is intact.*rank 1 on '.*': checkpoint of step 6: cannot write" \
        "$run.log" || { cat "$run.log" >&2; exit 1; }
    [ "$(cd "$run" && echo *-6.* *incomplete*)" = '*-6.* *incomplete*' ] || { ls "$run" >&2; exit 1; }
    # shellcheck disable=SC2086
    ranks 2 "$run" 9 $flags $how
    same straight "$run" 9
    # each is said to be there, and said once
    [ "$(grep -c "step 9  saved to '$run'" "$run.log")" = 1 ]
done

# two machines without a common disk: another one is mounted for rank 1
cat >other_disk.sh <<'END'
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ] || exec "$@"
exec unshare -m sh -c 'mount -t tmpfs none "$DISK" && exec "$@"' sh "$@"
END
mkdir alone alone--shard_optimizer
if DISK=$PWD/alone OMPI_COMM_WORLD_RANK=1 sh ./other_disk.sh true 2>/dev/null; then
    for how in "" --shard_optimizer; do
        export DISK="$PWD/alone$how"
        # shellcheck disable=SC2086
        (launch="$mpirun $options -n 2 sh ./other_disk.sh" && train "alone$how" 9 $flags $how)
        [ "$(grep -c 'it writes checkpoints alone' "alone$how.log")" = 1 ]
        same straight "alone$how" 6
        same straight "alone$how" 9
    done
fi
