# Where stderr is no terminal a run says something after ten steps, or seconds, and then as often as asked
# for; what comes by the clock is in no file.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=100 2>/dev/null
run() {
    t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir="$1" --hparams_set=transformer_tiny \
        --hparams=hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=1,batch_size=128 --schedule=train \
        --train_steps=30 --log_step_count_steps="$2" 2>"$1.log"
    grep -c '/30  loss' "$1.log"
    wc -l <"$1/metrics.jsonl"
}
run seldom 100
run often 5
