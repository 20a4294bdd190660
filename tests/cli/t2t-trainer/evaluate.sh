# train, then evaluate: on dev, on test; the scores on stdout, the line in metrics.jsonl.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=200 2>/dev/null
t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 \
    --train_steps=3 --schedule=train
ls run | sed 's/tfevents.*/tfevents/' | uniq
evaluate() {
    t2t-trainer --quiet --data_dir=data --output_dir=run --schedule=evaluate "$@" | sed 's/= [-0-9.]*[0-9]/= N/g'
}
evaluate
evaluate --eval_use_test_set
evaluate --eval_steps=2 --json | grep -oE '"kind": "[a-z]*"|"split": "[a-z]*"|"batches": [0-9]*'
grep -c '"kind": "eval"' run/metrics.jsonl
rm data/*-test-*
evaluate --eval_use_test_set
