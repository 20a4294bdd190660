# An hparam that is set and that nothing of the run reads is named; what would change the result is refused.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=200 2>/dev/null
train() {
    t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
        --train_steps=1 --schedule=train "$@" || echo "exit code $?"
}
small=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512
train --hparams=$small,kernel_height=5,optimizer_momentum_momentum=0.5,mlperf_mode=true,symbol_dropout=0.1
for refused in warm_start_from_second=x pretrained_model_dir=x overload_eval_metric_name=x eval_run_autoregressive=true; do
    train --output_dir=run2 --hparams=$small,$refused
done
train --output_dir=run2 --hparams_set=official_transformer_base
train --output_dir=run2 --hparams_set=resnet_50
[ ! -e run2 ]
