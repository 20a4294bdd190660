# A rank that is killed, or does not answer, ends all; the last checkpoint stands, and the same
# command goes on to the bits of a straight run.  Ranks that were not started alike do not begin.
. "$T2_ROOT/tests/e2e/train_common.subr"
. "$T2_ROOT/tests/e2e/ranks.subr"
need_mpirun
data data 600

flags="--num_threads=1 --save_checkpoints_steps=4 --local_eval_frequency=1000"
ranks 3 straight 40 $flags

cat >as_rank.sh <<'END'
echo $$ >>lost.pids
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 0 ] || echo $$ >lost.rank0
exec "$@"
END

# in the background, with its process ids in lost.pids: the ranks', in no order
begin() {
    : >lost.pids
    : >lost.rank0
    (
        launch="$mpirun $options -n 3 sh ./as_rank.sh"
        exec $launch t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir=lost --train_steps=1000000 \
            --hparams_set=transformer_tiny \
            --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 \
            --log_step_count_steps=1000000 --eval_steps=4 $flags --rank_timeout=10 2>>lost.log
    ) &
    job=$!
    until ls lost/state-* >/dev/null 2>&1 && [ "$(wc -l <lost.pids)" = 3 ]; do
        kill -0 $job 2>/dev/null || { cat lost.log >&2; exit 1; }
        sleep 0.1
    done
}

# not one that has ended and that nobody has asked about
runs() { [ -e "/proc/$1/stat" ] && ! grep -q ') [ZX]' "/proc/$1/stat" 2>/dev/null; }

for signal in KILL STOP; do
    rm -rf lost
    begin
    # rank 0 speaks in the second case, so the one that is lost is another
    victim=$(grep -vx "$(head -n 1 lost.rank0)" lost.pids | tail -n 1)
    kill -$signal "$victim"
    ! wait $job
    kill -KILL "$victim" 2>/dev/null || true
    for pid in $(cat lost.pids); do
        waited=0
        while runs "$pid"; do
            [ $((waited += 1)) -le 300 ] || { echo "rank $pid is still there" >&2; exit 1; }
            sleep 0.1
        done
    done
done
grep -q 'has not answered for [0-9]* s: its process, its machine or the network has stopped' lost.log

# continued from a checkpoint that the lost run has left, by another number of ranks
rm -rf again
ranks 3 again 12 $flags
ranks 2 again 40 $flags
cmp straight/model-40.safetensors again/model-40.safetensors
cmp straight/optimizer-40.safetensors again/optimizer-40.safetensors

# not alike: other flags, other data
pair() { # flags of rank 1
    $mpirun $options -n 1 t2t-trainer $common : -n 1 t2t-trainer $common "$@" 2>unlike.log
}
common="--problem=translate_ende_numbers --data_dir=data --output_dir=unlike --train_steps=8 --hparams_set=transformer_tiny --num_threads=1"
! pair --random_seed=7
grep -q "ranks must be started alike: rank 0 on '.*' has --random_seed=1, rank 1 on '.*' has --random_seed=7" unlike.log
data other 500
! pair --data_dir=other
grep -q 'ranks must be started alike' unlike.log
[ ! -e unlike ]

# a rank alone that has a reason says it, with its number, and nobody waits for ever
! pair --output_dir=unlike --problem=nonsense
grep -q "\[rank 1\] t2t-trainer: error: on '.*': " unlike.log
