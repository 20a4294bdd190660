# --json: what the run is, then the lines of metrics.jsonl.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=200 2>/dev/null
t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 \
    --train_steps=4 --log_step_count_steps=2 --json >out
grep -o '"kind": "[a-z]*"' out
tail -n +2 out | cmp - run/metrics.jsonl
