# Line by line: translation, TAB, score; q ends.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=200 2>/dev/null
t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 \
    --train_steps=4 --local_eval_frequency=2 --schedule=train
printf 'one hundred\n\nbad \344\ntwenty-one\nq\nnot this\n' |
    t2t-decoder --quiet --output_dir=run --data_dir=data --decode_interactive --decode_hparams=extra_length=3 |
    awk -F '\t' '{ print NF " columns, score " ($2 ~ /^-?[0-9]+\.[0-9][0-9][0-9][0-9]$/) }'
