# Mistakes in configurations: file, line and field are named; exit code 2, nothing is written.
try() {
    rc=0
    t2t-trainer --model_dir=run "$@" || rc=$?
    echo "exit code $rc"
}
experiment() {
    try --experiment=wmt_transformer/large "$@"
}
try --config_file=a.yaml
try --describe
try --experiment=wmt_transformer
try --experiment=revnet_imagenet
experiment --config_file=none.yaml
printf 'trainer:\n  train_steps: many\n' >a.yaml
experiment --config_file=a.yaml
printf 'trainer:\n  optimizer_config:\n    learning_rate: {type: cosin}\n' >a.yaml
experiment --config_file=a.yaml
printf 'task:\n  train_data:\n    inputpath: x\n' >a.yaml
experiment --config_file=a.yaml
printf 'task:\n  model: {encoder: {use_bias: true}}\n' >a.yaml
experiment --config_file=a.yaml
experiment --params_override=task.train_data=3
experiment --params_override=trainer
experiment --params_override=trainer.train_steps=5
experiment --train_steps=5
experiment --output_dir=other
experiment --mode=evaluate
experiment --mode=continuous_train_and_eval
ls
