# What a run takes of memory is what its plan said, within 5 %: while it begins, goes on from a checkpoint,
# and evaluates.
# Not with sanitizers: their memory is another
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 400

within() { # log
    plan=$(sed -n 's/.*memory: \([0-9.]*\) MiB = .*/\1/p' "$1" | tail -n 1)
    used=$(sed -n 's/.*memory: at most \([0-9.]*\) MiB were used.*/\1/p' "$1" | tail -n 1)
    awk -v plan="$plan" -v used="$used" 'BEGIN { exit !(plan > 0 && used < 1.05 * plan && used > 0.95 * plan) }' || {
        echo "$1: planned $plan MiB, used $used" >&2
        return 1
    }
}

# the last --hparams is the one that counts
mid=hidden_size=256,filter_size=1024,num_heads=4,num_hidden_layers=2
check() { # name, flags
    name=$1
    shift
    train "$name" 5 --local_eval_frequency=5 --eval_steps=2 "$@"
    within "$name.log"
    train "$name" 8 --local_eval_frequency=8 --eval_steps=2 "$@"
    within "$name.log"
}
# threads are given, as those that have no CPU take less than planned
check none --num_threads=2 --hparams=$mid,batch_size=1024
check layer --hparams=$mid,batch_size=1024 --remat=layer --num_threads=1
# four threads, however many CPUs there are: what the library of products keeps is kept by every thread
check factored --num_threads=4 --hparams=$mid,optimizer=Adafactor,batch_size=4096 --precision=bfloat16
check small --num_threads=2 --hparams=$mid,batch_size=4096 --precision=float16
