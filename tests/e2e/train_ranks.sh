# Training on several ranks over MPI gives the bits of one process with as many data shards, whatever
# the number of ranks; a checkpoint of one number of ranks is continued on another.
# With sanitizers by name: train_ranks_saves.sh and train_ranks_lost.sh run the same code
. "$T2_ROOT/tests/e2e/train_common.subr"
. "$T2_ROOT/tests/e2e/ranks.subr"
need_mpirun
data data 600

flags="--num_threads=1 --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512,attention_dropout=0.1,relu_dropout=0.1,layer_prepostprocess_dropout=0.1,clip_grad_norm=0.5"

# one process
train shards2 16 $flags --worker_gpu=2
train shards3 16 $flags --worker_gpu=3
train shards4 16 $flags --worker_gpu=4
same() { # two folders, step
    cmp "$1/model-$3.safetensors" "$2/model-$3.safetensors"
    cmp "$1/optimizer-$3.safetensors" "$2/optimizer-$3.safetensors"
}
! cmp -s shards2/model-16.safetensors shards4/model-16.safetensors

# ranks of one shard each, and of two
ranks 2 ranks2 16 $flags
same shards2 ranks2 16
ranks 3 ranks3 16 $flags
same shards3 ranks3 16
ranks 4 ranks4 16 $flags --num_threads=2
same shards4 ranks4 16
ranks 2 ranks2of2 16 $flags --worker_gpu=2
same shards4 ranks2of2 16

# the state of the optimizer in parts
ranks 2 sharded2 16 $flags --shard_optimizer
same shards2 sharded2 16
ranks 3 sharded3 16 $flags --shard_optimizer
same shards3 sharded3 16
train averaged3 16 $flags,moving_average_decay=0.9,lookahead_steps=3 --worker_gpu=3
ranks 3 averaged3r 16 $flags,moving_average_decay=0.9,lookahead_steps=3 --shard_optimizer
same averaged3 averaged3r 16
# gradients as bfloat16: the same again, near the run with float32, and not that
ranks 2 halves 16 $flags --exchange=bfloat16
ranks 2 halves_again 16 $flags --exchange=bfloat16 --shard_optimizer
same halves halves_again 16
! cmp -s shards2/model-16.safetensors halves/model-16.safetensors
last_loss() { sed -n 's/.*"kind": "train", "step": 16.*"loss": \([^,]*\),.*/\1/p' "$1/metrics.jsonl"; }
awk -v a="$(last_loss shards2)" -v b="$(last_loss halves)" 'BEGIN { exit !(a > 0 && a - b < 0.01 && b - a < 0.01) }'
fails 2 ranks 2 other 1 $flags --exchange=half
grep -q "exchange is float32 or bfloat16, not 'half'" other.log

# the same reports
losses() { sed -n 's/.*"kind": "\([a-z]*\)", "step": \([0-9]*\).*"loss": \([^,]*\),.*/\1 \2 \3/p' "$1/metrics.jsonl"; }
losses shards4 >a
losses ranks4 >b
[ -s a ]
cmp a b

# evaluation by itself
evaluation() { sed -n 's/\("kind": "eval".*\), "seconds.*/\1/p' "$1/metrics.jsonl" | tail -n 1; }
cp -r shards4 evaluated
cp -r shards4 evaluated3
train evaluated 16 $flags --schedule=evaluate >a
ranks 3 evaluated3 16 $flags --schedule=evaluate >b
[ -s a ]
cmp a b
evaluation evaluated >a
evaluation evaluated3 >b
grep -q target_tokens a
cmp a b

# one writer
[ "$(ls ranks4 | wc -l)" = "$(ls shards4 | wc -l)" ]

# begun on 4 ranks, continued on 2, on 3, on 5, by one process
ranks 4 mixed 4 $flags
ranks 2 mixed 8 $flags --shard_optimizer
ranks 3 mixed 10 $flags --shard_optimizer
ranks 5 mixed 12 $flags
grep -q '1 ranks have nothing to do' mixed.log
train mixed 16 $flags
same shards4 mixed 16
fails 2 train mixed 20 $flags --worker_gpu=2
says mixed.log 'has batches of 4 data shards'

# an optimizer whose rule is about whole variables
fails 1 ranks 2 whole 1 $flags,optimizer=Adafactor --shard_optimizer
grep -q "optimizer 'adafactor' works on whole variables" whole.log

# the other library, where both are installed
for other in mpirun.openmpi mpirun.mpich; do
    if (need_mpirun $other) 2>/dev/null; then
        need_mpirun $other
        ranks 2 "$other" 16 $flags
        same shards2 "$other" 16
    fi
done
