# What is not there: folder, problem, shards, checkpoint.
mkdir data
try() {
    rc=0
    t2t-trainer --output_dir=run --hparams_set=transformer_tiny "$@" || rc=$?
    echo "exit code $rc"
}
try --data_dir=absent --problem=translate_ende_numbers
try --data_dir=data --problem=translate_ende_nmbers
try --data_dir=data --problem=translate_ende_numbers
try --data_dir=data --problem=translate_ende_numbers --schedule=evaluate
ls
