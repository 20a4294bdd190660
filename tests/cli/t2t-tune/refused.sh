# What t2t-tune and the search flags of t2t-trainer refuse, and how.
refused() {
    rc=0
    "$@" || rc=$?
    echo "= $rc"
}
exec 2>&1
refused t2t-tune report
refused t2t-tune reprot x
refused t2t-tune report nowhere
refused t2t-tune worker nowhere
refused t2t-tune status a b
mkdir empty && : >empty/study.jsonl
refused t2t-tune report empty
refused t2t-tune stop empty
refused t2t-tune stop empty 0
echo 'no such line' >empty/study.jsonl
refused t2t-tune status empty

t2t-datagen --quiet --problem=translate_ende_numbers --max_cases=50 --data_dir=data --tmp_dir=tmp >/dev/null 2>&1
search() {
    refused t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
        --train_steps=9 --autotune_objective=loss "$@"
}
search
search --autotune
search --hparams_range=transformer_base_rangs
search --hparams_range=transformer_tpu_range --autotune_objective=
search --hparams_range=transformer_tpu_range --autotune_objective=metrics-x/acuracy
search --hparams_range=transformer_tpu_range --autotune_max_trials=0
search --hparams_range=transformer_tpu_range --autotune_parallel_trials=0
search --hparams_range=transformer_tpu_range --autotune_grid_points=0
search --hparams_range=transformer_tpu_range --autotune_seed=-1
search --hparams_range=transformer_tpu_range --autotune_algorithm=bayes
search --hparams_range=transformer_tpu_range --autotune_algorithm=asha --autotune_reduction=1
search --hparams_range=transformer_tpu_range --autotune_algorithm=asha --autotune_min_steps=10
search --hparams_range=transformer_tpu_range --schedule=evaluate
search --hparams_range=transformer_tpu_range --eval_steps=0
search --hparams_range=transformer_tpu_range --pause_at_step=3
search --hparams_range=transformer_tpu_range --experiment=wmt_transformer/large
search --hparams_range=transformer_tpu_range --autotune_max_trails=3
search --hparams_range=transformer_tpu_range --data_dir=nowhere
search --hparams_range=transformer_tpu_range --hparams=weight_decay=1
search --hparams_range=imagetransformer_cifar_tpu_range
search --hparams_range=basic1 --batch_size=64
echo 'num_heads: {float: [1, 2]}' >range.yaml
search --hparams_range=range.yaml
echo 'num_heads: {float: [1, 2]' >range.yaml
search --hparams_range=range.yaml
[ ! -e run ] && echo 'no study was begun'
