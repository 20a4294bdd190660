# An experiment of images: a small ResNet of Model Garden from jpeg-to-tfrecord's shards, continued with the bits
# of a straight run.
. "$T2_ROOT/tests/e2e/train_common.subr"

draw_greys photos
jpeg-to-tfrecord --quiet --image_dir=photos --output_dir=data --train_shards=2 --validation_percent=20
cat >a.yaml <<'YAML'
task:
  model:
    num_classes: 3
    input_size: [32, 32, 3]
    backbone: {resnet: {model_id: 10}}
  losses: {l2_weight_decay: 0.0001, label_smoothing: 0.1}
  train_data: {input_path: 'data/train*', global_batch_size: 8}
  validation_data: {input_path: 'data/validation*', global_batch_size: 8, drop_remainder: false}
trainer:
  train_steps: 4
  validation_interval: 4
  steps_per_loop: 2
  summary_interval: 2
  checkpoint_interval: 4
  optimizer_config:
    optimizer: {type: sgd, sgd: {momentum: 0.9}}
    learning_rate: {type: cosine, cosine: {initial_learning_rate: 0.05, decay_steps: 8}}
    warmup: {type: linear, linear: {warmup_steps: 2}}
YAML

experiment() { # output folder, flags
    out=$1
    shift
    t2t-trainer --experiment=image_classification --config_file=a.yaml --model_dir="$out" "$@" 2>>"$out.log"
}

experiment straight --params_override=trainer.train_steps=8
grep -q 'images of 32 x 32 x 3 (garden) to 3 classes' straight.log
[ "$(grep -c 'dev: loss .* top 5 ' straight.log)" = 2 ]
experiment steps
experiment steps --params_override=trainer.train_steps=8
cmp straight/model-8.safetensors steps/model-8.safetensors
cmp straight/params.yaml steps/params.yaml

# validation_steps counts batches of validation_data, those that run are of training's size
few=trainer.train_steps=1,trainer.validation_interval=1,task.train_data.global_batch_size=2
experiment three --params_override=$few,trainer.validation_steps=3,task.validation_data.global_batch_size=1
grep -q '"batches": 2, "sequences": 4,' three/metrics.jsonl
experiment four --params_override=$few,trainer.validation_steps=1,task.validation_data.global_batch_size=4
grep -q '"batches": 2, "sequences": 4,' four/metrics.jsonl
experiment all --params_override=$few,trainer.validation_steps=12,task.validation_data.global_batch_size=4096
grep -q '"batches": 3, "sequences": 6,' all/metrics.jsonl
! grep -q 'no meaning for this run: .*global_batch_size' four.log

# labels begin at 1, so two classes need three; or as many as there are
fails 2 experiment wrong --params_override=task.model.num_classes=9
says wrong.log 'num_label_classes=9'
fails 1 experiment wrong --params_override='task.model.backbone.type=revnet'
says wrong.log 'task.model.backbone.type=revnet: this backbone is not built'
fails 2 experiment wrong --params_override='task.train_data.mixup_and_cutmix={}'
says wrong.log 'task.train_data.mixup_and_cutmix needs task.losses.one_hot=false'
fails 1 experiment wrong --params_override='task.train_data.random_erasing={}'
[ ! -d wrong ]

# images mixed of two: the same bits in parts, another model than without
experiment mixed --params_override='{trainer: {train_steps: 8}, task: {losses: {soft_labels: true, one_hot: false}, train_data: {mixup_and_cutmix: {}}}}'
experiment mixed2 --params_override='{trainer: {train_steps: 4}, task: {losses: {soft_labels: true, one_hot: false}, train_data: {mixup_and_cutmix: {}}}}' --num_threads=1
experiment mixed2 --params_override='{trainer: {train_steps: 8}, task: {losses: {soft_labels: true, one_hot: false}, train_data: {mixup_and_cutmix: {}}}}'
cmp mixed/model-8.safetensors mixed2/model-8.safetensors
! cmp -s mixed/model-8.safetensors straight/model-8.safetensors

# tensorflow/tpu's flat configuration; its eval ends with the last step's checkpoint
printf 'train_batch_size: 8\nresnet_depth: 10\nnum_train_images: 48\nimage_size: 32\nnum_label_classes: 2\n' >tpu.yaml
tpu() {
    t2t-trainer --experiment=tpu_resnet --config_file=tpu.yaml --params_override=train_steps=3,precision=float32 --data_dir=data --model_dir=tpu "$@" 2>>tpu.log
}
tpu --mode=train
grep -q 'model: tpu_resnet, tpu_resnet_50, ' tpu.log
grep -qx 'train_steps: 3' tpu/params.yaml
tpu --mode=eval >tpu.out
grep -q '^step 3 dev: loss = ' tpu.out
tfrec events --scalars --tag=top_1_accuracy tpu/eval_eval | grep -q '^3	'
# by tensorflow/tpu's own program, with its tags
resnet_main --config_file=tpu.yaml --params_override=precision=float32 --train_steps=3 --data_dir=data --model_dir=main --quiet
cmp main/model-3.safetensors tpu/model-3.safetensors
tfrec events --scalars --tag=current_epoch main | grep -q '^main	3	'
tfrec events --scalars --tag=top_1_accuracy main/eval | grep -q '^3	'
# a preset with RandAugment trains as it is, with its two numbers, and not as without them
sed 's/^image_size: 32/&\naugment_name: randaugment\nrandaug_num_layers: 3\nrandaug_magnitude: 9/' tpu.yaml >rand.yaml
t2t-trainer --experiment=tpu_resnet --config_file=rand.yaml --params_override=train_steps=3,precision=float32 --data_dir=data --model_dir=rand --mode=train 2>rand.log
grep -q 'images of 32 x 32 x 3 (resnet_randaugment)' rand.log
grep -q '"randaugment_layers": 3' rand/hparams.json
! cmp -s tpu/model-3.safetensors rand/model-3.safetensors
fails 2 tpu --params_override=train_batch_sise=8
says tpu.log "there is no field 'train_batch_sise'; did you mean 'train_batch_size'?"
