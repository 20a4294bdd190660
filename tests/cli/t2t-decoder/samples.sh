# Without a file the samples of the data set: what is decoded, with inputs and targets beside it, line for line.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=200 2>/dev/null
t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 \
    --train_steps=4 --local_eval_frequency=2 --schedule=train
decode() {
    t2t-decoder --quiet --output_dir=run --data_dir=data "$@"
}
few=beam_size=2,extra_length=1
fails() {
    rc=0
    decode "$@" >log 2>&1 || rc=$?
    echo "exit code $rc: $(grep -v warning log)"
}
name=run/decode_00000/translate_ende_numbers-4
decode --decode_hparams=$few
ls run/decode_00000
wc -l <$name.decodes
sort $name.inputs >a
sort data/translate_ende_numbers.dev.en | cmp - a
sort $name.targets >a
sort data/translate_ende_numbers.dev.de | cmp - a
# as from a file, whatever the batches
t2t-decoder --quiet --output_dir=run --data_dir=data --decode_from_file=$name.inputs --decode_to_file=again \
    --decode_hparams=$few,batch_size=3
cmp again $name.decodes
# the test split, by a name, some of it; all beams, a line each, with their scores
decode --eval_use_test_set --decode_to_file=here/x \
    --decode_hparams=$few,num_samples=7,return_beams=true,write_beam_scores=true
ls here
wc -l here/*.decodes here/*.inputs here/*.targets | awk 'NR < 4 { print $1 }'
awk -F '\t' '{ n[NF]++ } END { for (k in n) print k " columns: " n[k] }' here/*.decodes
sort -u data/translate_ende_numbers.test.en >a
sort -u here/*.inputs | comm -23 - a | wc -l
# ids, EOS included; of nothing no file
decode --decode_to_file=ids --decode_hparams=$few,num_samples=2,identity_output=true
grep -cE '^[0-9]+( [0-9]+)* 1$' ids.*.inputs ids.*.targets | sed 's/.*://'
decode --decode_hparams=$few,num_samples=2,decode_in_memory=true,num_decodes=2
ls run/decode_00000 | wc -l
# several times, with other draws; each worker one shard
decode --hparams=sampling_method=random --decode_hparams=beam_size=1,num_decodes=2,num_samples=20
cmp run/decode_00000/translate_ende_numbers-4.inputs run/decode_00001/translate_ende_numbers-4.inputs
cmp -s run/decode_00000/translate_ende_numbers-4.decodes run/decode_00001/translate_ende_numbers-4.decodes || echo other draws
decode --decode_to_file=shard --decode_shards=2 --worker_id=0 --decode_hparams=$few,num_samples=3
ls shard*
decode --json --decode_hparams=$few,num_samples=3,decode_in_memory=true | grep -oE '"(step|lines|cut_lines|decode_to_file)": [^,]*'
fails --decode_hparams=num_decodes=2 --decode_to_file=x
fails --decode_reference=x
fails --decode_shards=99 --worker_id=98
decode --decode_from_file=again --decode_to_file=- --eval_use_test_set --decode_hparams=num_samples=3,$few 2>&1 >/dev/null | grep -c 'warning.*has no meaning\|warning.*means nothing'
