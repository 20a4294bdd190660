# A cluster of two nodes under Slurm: an array of t2t-datagen and its join, ranks by srun and by mpirun in a job, a search as
# an array, and jobs that are put back into the queue, by hand and because a node is lost: always the bytes of one process.
. "$T2_ROOT/tests/e2e/train_common.subr"
. "$T2_ROOT/tests/e2e/slurm.subr"
slurm_begin
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
hparams='--hparams_set=transformer_tiny --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512'
trainer="t2t-trainer --problem=translate_ende_numbers --data_dir=data --num_threads=1 --local_eval_frequency=8 --eval_steps=4 $hparams"

# t2t-datagen as an array, joined by the job behind it
make='t2t-datagen --quiet --problem=translate_ende_numbers --max_cases=600 --num_shards=4 --num_threads=1 --data_dir=data --tmp_dir=tmp'
t2t-datagen --quiet --problem=translate_ende_numbers --max_cases=600 --num_shards=4 --data_dir=whole --tmp_dir=tmp 2>/dev/null
make_id=$(timeout 300 sbatch --wait --parsable -o make.out --array=0-2 \
    --wrap="$make --task=\$SLURM_ARRAY_TASK_ID/\$SLURM_ARRAY_TASK_COUNT")
submit join --dependency="afterok:$make_id" <<END
#!/bin/sh
exec $make --join
END
diff -r whole data

# two ranks: by srun with either library, and by mpirun in a job
train one 12 --num_threads=1 --worker_gpu=2
same() { cmp one/model-12.safetensors "$1/model-12.safetensors" && cmp one/optimizer-12.safetensors "$1/optimizer-12.safetensors"; }
n_ways=0
for way in pmix pmi2; do
    [ $way = pmix ] && library=libmpi.so.40 plugin=libpmix.so || library=libmpich.so.12 plugin=libmpich.so.12
    t2t-trainer --version | grep -q "when needed:.*$library" && ldconfig -p | grep -q "$plugin" || continue
    # --mpi=list names a plugin that cannot be opened, too
    timeout 60 srun --mpi=$way true 2>$way.log || { echo "srun --mpi=$way: $(tail -n 1 $way.log)" && continue; }
    # shellcheck disable=SC2086 # words
    timeout 120 srun -N 2 -n 2 --mpi=$way $trainer --output_dir=by_$way --train_steps=12 2>$way.log ||
        { cat $way.log >&2; slurm_log; exit 1; }
    grep -q '^\[rank 0\]' $way.log
    same by_$way
    n_ways=$((n_ways + 1))
done
if command -v mpirun >/dev/null; then
    submit by_mpirun -N 2 -n 2 <<END
#!/bin/sh
exec mpirun $trainer --output_dir=by_mpirun --train_steps=12
END
    grep -q '^\[rank 0\]' by_mpirun.out
    same by_mpirun
    n_ways=$((n_ways + 1))
fi
[ $n_ways -gt 0 ] || slurm_skip 'no MPI that Slurm can start'

# a search: its command, and a worker beside it
cat >range.yaml <<'END'
learning_rate_constant: {float: [0.02, 2.0], scale: log}
END
search="$trainer --train_steps=9 --hparams_range=range.yaml --autotune_objective=loss --autotune_max_trials=6 --quiet"
$search --output_dir=search_one >/dev/null
submit search --array=0-1 <<END
#!/bin/sh
[ \$SLURM_ARRAY_TASK_ID = 1 ] || exec $search --output_dir=search
until [ -s search/study.jsonl ]; do sleep 0.1; done
exec t2t-tune worker --num_threads=1 search
END
values() { sed -n 's/.*"event": "done", "trial": \([0-9]*\), "rung": 0, "value": \([^,]*\),.*/\1 \2/p' "$1/study.jsonl" | sort; }
[ "$(values search_one | wc -l)" = 6 ]
[ "$(values search)" = "$(values search_one)" ]
# both tasks had trials
[ "$(sed -n 's/.*"event": "claim".*"by": "\([^"]*\)".*/\1/p' search/study.jsonl | sort -u | wc -l)" = 2 ]

# put back into the queue by hand: SIGTERM saves, the same script goes on
mpi=none && [ ! -d by_pmi2 ] || mpi=pmi2
[ ! -d by_pmix ] || mpi=pmix
[ $mpi != none ] || exit 0
steps=3000
await() { # what, command...: true within 60 s
    what=$1 waited=0
    shift
    until "$@" >/dev/null 2>&1; do
        [ $((waited += 1)) -le 600 ] || { echo "$what did not come" >&2; cat ./*.out >&2; slurm_log; squeue >&2; exit 1; }
        sleep 0.1
    done
}
job() { # output_dir: trains on one node or two, one rank each
    cat >"$1.sh" <<END
#!/bin/sh
#SBATCH --requeue --open-mode=append -N 1-2 -n 2 --spread-job -o $1.out
exec srun --mpi=$mpi --ntasks=\$SLURM_JOB_NUM_NODES $trainer --output_dir=$1 --train_steps=$steps --save_checkpoints_steps=100 --rank_timeout=10
END
    id=$(sbatch --parsable "$1.sh")
}
state_is() { [ "$(scontrol show job "$id" -o | sed -n 's/.* JobState=\([A-Z_]*\) .*/\1/p')" = "$1" ]; }
nodes_are() { [ "$(scontrol show job "$id" -o | sed -n 's/.* NumNodes=\([0-9]*\).*/\1/p')" = "$1" ]; }
has_state() { ls "$1"/state-*.json; }
train long $steps --num_threads=1 --worker_gpu=2 --save_checkpoints_steps=100
job again
await 'a checkpoint' has_state again
state_is RUNNING
nodes_are 2
scontrol requeue "$id"
await 'the second start' grep -q 'continues' again.out
await 'the end' state_is COMPLETED
cmp long/model-$steps.safetensors again/model-$steps.safetensors

# a node is lost: the job goes back into the queue by itself, and on with the one that is left
job lost
await 'a checkpoint' has_state lost
state_is RUNNING
nodes_are 2
kill -9 "$(cat slurm/n2.pid)"
for pid in $(pgrep -f "slurmstepd: \[$id\.|--output_dir=lost "); do
    ! tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -q '^SLURMD_NODENAME=n2$' || kill -9 "$pid"
done
scontrol update nodename=n2 state=down reason=lost
await 'the second start' grep -q 'continues' lost.out
await 'the end' state_is COMPLETED
nodes_are 1
cmp long/model-$steps.safetensors lost/model-$steps.safetensors
