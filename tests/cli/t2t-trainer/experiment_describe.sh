# What an experiment's fields become: without data or a run.
printf 'task: {train_data: {tfds_name: "", input_path: d/x-train-0}, validation_data: {tfds_name: "", input_path: d/x-dev-0}}\n' >a.yaml
t2t-trainer --experiment=wmt_transformer/large --config_file=a.yaml --mode=train_and_eval --describe \
    --params_override="task.sentencepiece_model_path=vocab,trainer.optimizer_config.optimizer.type=sgd,runtime.tpu=x"
# without data, too
t2t-trainer --experiment=resnet_imagenet --describe | grep -A3 -e learning_rate.stepwise.values -e "same run"
