# Four checkpoints give two means of three; a mean is decoded, not trained on.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=200 2>/dev/null
train() {
    t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --hparams_set=transformer_tiny \
        --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 \
        --local_eval_frequency=1 --schedule=train "$@"
}
train --output_dir=run --train_steps=4
for f in run/*safetensors*; do echo "${f#run/}"; done
t2t-avg-all --model_dir=run --output_dir=run/avg/ --n=3
ls run/avg
echo 'three' >in.en
t2t-decoder --quiet --data_dir=data --output_dir=run/avg --decode_from_file=in.en --decode_to_file=out.de
wc -l <out.de
train --output_dir=run/avg --train_steps=5 || echo "exit code $?"
# by default a mean is of as many checkpoints as a run keeps by default
train --output_dir=kept --train_steps=7
t2t-avg-all --model_dir=kept --output_dir=avg
