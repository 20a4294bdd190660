# --json: the keys; --decode_reference: the score; --keep_timestamp: the time of the checkpoint.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=200 2>/dev/null
t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 \
    --train_steps=4 --local_eval_frequency=2 --schedule=train
head -n 5 data/translate_ende_numbers.test.en >in
head -n 5 data/translate_ende_numbers.test.de >ref
touch -d '2001-02-03 04:05:06' run/state-4.json
t2t-decoder --quiet --output_dir=run --data_dir=data --decode_from_file=in --decode_to_file=out --keep_timestamp \
    --decode_reference=ref --json --decode_hparams=extra_length=3 >json
grep -oE '"[a-z_]*":' json | tr -d '\n'
echo
grep -oE '"(step|lines|empty_lines|cut_lines)": [0-9]+' json
date -r out +%F
