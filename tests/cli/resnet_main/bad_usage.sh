# Mistakes are found before anything is written.
try() {
    rc=0
    resnet_main --data_dir=absent "$@" || rc=$?
    echo "exit code $rc"
}
try
try --model_dir=run --mode=predict
try --model_dir=run --steps_per_eval=0
try --model_dir=run --train_batch_size=x
try --model_dir=run --pre_activation
try --model_dir=run --train_batchsize=8
try --model_dir=run --export_dir=x
try --model_dir=run --tpu=x --nouse_tpu
ls
