# A file system without room for a checkpoint: what was there stays, the same command goes on.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=200 2>/dev/null
run() {
    t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
        --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 \
        --schedule=train --train_steps="$1"
}
run 2
rc=0
(trap '' XFSZ && ulimit -f 40 && run 4) || rc=$?
echo "exit code $rc"
ls run | sed 's/tfevents.*/tfevents/' | uniq
run 4
ls run | sed 's/tfevents.*/tfevents/' | uniq
