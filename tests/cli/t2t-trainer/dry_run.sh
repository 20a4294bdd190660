# The plan, and nothing is written.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=200 2>/dev/null
run() {
    t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
        --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 --dry_run "$@"
}
run --num_threads=1 | sed -e 's/^device: .*/device: .../' -e 's/[0-9.]* s per step.*/.../' -e 's/activations [0-9.]*/activations .../' -e 's/: [0-9.]* MiB/: ... MiB/' -e 's/program [0-9.]*/program .../' \
    -e 's/[0-9,]* parameters/... parameters/' -e 's/vocabulary .*/vocabulary .../' -e 's/[0-9,]* target tokens/... target tokens/' \
    -e 's/[0-9.]* steps per epoch/... steps per epoch/' -e 's/[0-9]* batches/... batches/'
run --json | grep -oE '"[a-z_]*":' | tr -d '\n'
echo
ls
