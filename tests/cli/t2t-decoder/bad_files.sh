# Bad input: named, exit code 1, no output file.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=200 2>/dev/null
t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 \
    --train_steps=4 --local_eval_frequency=2 --schedule=train
try() {
    rc=0
    t2t-decoder --quiet --output_dir=run --data_dir=data --decode_to_file=out --decode_hparams=extra_length=3 "$@" || rc=$?
    echo "exit code $rc"
}
: >empty
mkdir folder
printf 'good\n\nb\303\244d \344\n' >latin1
printf 'good\n' | gzip -c | head -c 12 >short.gz
try --decode_from_file=none
try --decode_from_file=empty
try --decode_from_file=folder
try --decode_from_file=latin1
try --decode_from_file=short.gz
printf 'good\n' >good
try --decode_from_file=good --decode_to_file=/dev/null/out
try --decode_from_file=good --decode_hparams=max_input_size=3
head -c 1000 data/translate_ende_numbers.test.en | tr '\n' ' ' >long
try --decode_from_file=long --max_memory=300K 2>&1 | sed 's/ [0-9]* ids are cut to the first [0-9]*/ .../'
ls out* folder
