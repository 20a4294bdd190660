# Mistakes are found before anything is written.
try() {
    rc=0
    transformer_main --model_dir=run --data_dir=absent "$@" || rc=$?
    echo "exit code $rc"
}
try --bleu_ref=x
try --bleu_ref=x --bleu_source=y
try --mode=serve
try --mode=eval
try --param_set=huge
try --dtype=int8
try --steps_between_evals=0
try --num_gpus=8
try --noenable_checkpointing
try --enable_xla=true --num_packs 1
try --train_stepps=5
ls
