# Wrong usage: exit code 2, nothing is written.
mkdir data
try() {
    rc=0
    t2t-trainer "$@" || rc=$?
    echo "exit code $rc"
}
try
try --output_dir=run
try --output_dir=run --data_dir=data
try --output_dir=run --data_dir=data --problem=translate_ende_numbers
try --output_dir=run --data_dir=data --problem=translate_ende_numbers --hparams_set=transformer_tny
try --output_dir=run --data_dir=data --problem=translate_ende_numbers --hparams_set=transformer_tiny --hparams=batch_sise=7
try --output_dir=run --data_dir=data --problem=translate_ende_numbers --hparams_set=transformer_tiny --hparams=batch_size=big
try --output_dir=run --data_dir=data --schedule=trane
try --output_dir=run --data_dir=data --train_step=7
try --output_dir=run --data_dir=data --train_steps=seven
try --output_dir=run --data_dir=data --train_steps=-7
try --output_dir=run --data_dir=data --local_eval_frequency=0
try --output_dir=run --data_dir=data --random_seed=-1
try --output_dir=run --data_dir=data --problem=translate_ende_numbers more
ls
