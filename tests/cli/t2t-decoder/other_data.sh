# Another vocabulary than the checkpoint was trained with: refused, both sides named.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=200 2>/dev/null
t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 \
    --train_steps=4 --local_eval_frequency=2 --schedule=train
printf 'one hundred\n' >in
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=other --tmp_dir=tmp --max_cases=400 2>/dev/null
rc=0
t2t-decoder --quiet --output_dir=run --data_dir=other --decode_from_file=in 2>err || rc=$?
echo "exit code $rc"
sed -e 's/SHA-256 [0-9a-f]*/SHA-256 .../g' err
ls in*
