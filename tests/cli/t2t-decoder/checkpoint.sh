# Which checkpoint: newest, by step, by file, the mean of several.  What does not fit is refused.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=200 2>/dev/null
t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 \
    --train_steps=4 --local_eval_frequency=2 --schedule=train
printf 'one hundred\ntwenty-one\n' >in
try() {
    rc=0
    t2t-decoder --quiet --data_dir=data --decode_from_file=in --decode_to_file=out \
        --decode_hparams=extra_length=3 "$@" || rc=$?
    echo "exit code $rc, $(cat out 2>/dev/null | wc -l) lines"
    rm -f out
}
try --output_dir=run
try --output_dir=run --checkpoint_path=2
try --checkpoint_path=run/state-2.json
try --checkpoint_path=run/model-4.safetensors
try --output_dir=run --average_checkpoints=2
try --output_dir=run --average_checkpoints=3
try --output_dir=run --checkpoint_path=2 --average_checkpoints=2
try --output_dir=run --checkpoint_path=3
try --output_dir=none
try --output_dir=run --model=transformer --hparams_set=transformer_tiny --problem=translate_ende_numbers
try --output_dir=run --hparams_set=transformer_base
try --output_dir=run --problem=translate_ende_numbers_rev
try --output_dir=run --data_dir=
try --output_dir=run --device=abacus
