# An experiment of Model Garden: YAML, overrides, a run with its checkpoints and evaluations, params.yaml that
# gives the same run again, continued with the bits of a straight run, evaluated while it trains.
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 300
vocab=$(echo data/vocab.*)
cat >a.yaml <<YAML
task:
  sentencepiece_model_path: $vocab
  model:
    encoder: {num_layers: 1, num_attention_heads: 4, intermediate_size: 64}
    decoder: {num_layers: 1, num_attention_heads: 4, intermediate_size: 64}
    embedding_width: 32
  train_data:
    tfds_name: ''
    input_path: 'data/translate_ende_numbers-train*'
    global_batch_size: 512
    max_seq_length: 32
  validation_data:
    tfds_name: ''
    input_path: ['data/translate_ende_numbers-dev*']
trainer:
  train_steps: 10
  steps_per_loop: 5
  summary_interval: 10
  checkpoint_interval: 8
  validation_interval: 10
  validation_steps: 2
  optimizer_config: {warmup: {linear: {warmup_steps: 10}}}
YAML
printf 'trainer: {max_to_keep: 3}\n' >b.yaml

experiment() { # output folder, flags
    out=$1
    shift
    t2t-trainer --experiment=wmt_transformer/large --config_file=a.yaml --config_file=b.yaml --model_dir="$out" "$@" 2>>"$out.log"
}

# checkpoints at 8, 16 and the end, evaluations at 10 and 20
experiment straight --params_override=trainer.train_steps=20
[ "$(grep -o 'step [0-9]*  saved' straight.log | tr -d '\n')" = 'step 8  savedstep 16  savedstep 20  saved' ]
[ "$(grep -c '  dev: loss' straight.log)" = 2 ]
[ -f straight/model-8.safetensors ]
grep -qx '  train_steps: 20' straight/params.yaml
grep -qx '  max_to_keep: 3' straight/params.yaml

# stopped at 10 and continued; by what it saved itself, too
experiment steps --mode=train
! grep -q 'dev: loss' steps.log
experiment steps --mode=train_and_post_eval --params_override='{trainer: {train_steps: 20}}'
[ "$(grep -c '  dev: loss' steps.log)" = 1 ]
cmp straight/model-20.safetensors steps/model-20.safetensors
cmp straight/params.yaml steps/params.yaml
t2t-trainer --experiment=wmt_transformer/large --params_override=straight/params.yaml --model_dir=again 2>again.log
cmp straight/model-20.safetensors again/model-20.safetensors
cmp straight/params.yaml again/params.yaml

# the same run in plain flags
cat straight/flags.txt | grep -v -e --output_dir -e --max_memory | tr '\n' '\0' | xargs -0 sh -c 't2t-trainer "$@" --output_dir=plain 2>plain.log' sh
cmp straight/model-20.safetensors plain/model-20.safetensors

# evaluation alone, and of every checkpoint that appears
experiment straight --mode=eval --params_override=trainer.validation_steps=-1 >eval.out
grep -q '^step 20 dev: loss = ' eval.out
mkdir elsewhere
timeout 60 t2t-trainer --experiment=wmt_transformer/large --config_file=a.yaml --model_dir=elsewhere --mode=continuous_eval \
    --params_override=trainer.continuous_eval_timeout=50 >continuous.out 2>continuous.log &
waiter=$!
experiment elsewhere --mode=train
wait $waiter
grep -q '^step 10 dev: loss = ' continuous.out
# nothing new comes
experiment elsewhere --mode=continuous_eval --params_override=trainer.continuous_eval_timeout=0,trainer.train_steps=99 >late.out
grep -q '^step 10 dev' late.out
says elsewhere.log 'no new checkpoint'

# the best checkpoint in a folder of its own, events of evaluations in another one, float16
experiment best --params_override="trainer.train_steps=20,runtime.mixed_precision_dtype=float16,trainer.validation_summary_subdir=val,
    trainer.best_checkpoint_export_subdir=best,trainer.best_checkpoint_eval_metric=validation_loss,trainer.best_checkpoint_metric_comp=lower"
grep -q 'step 20  has the best validation_loss so far' best.log
[ "$(find best/best -name '*.safetensors' | wc -l)" = 2 ]
cmp best/best/model-20.safetensors best/model-20.safetensors
grep -q '"best_ckpt_global_step": 20' best/best/info.json
grep -q '"precision":"float16"' best/state-20.json || grep -q '"precision": "float16"' best/state-20.json
tfrec events --scalars --tag=validation_loss best/val >/dev/null
[ ! -e best/validation ]
# the same by BLEU of the evaluation's translations
experiment bleu --params_override="trainer.train_steps=20,trainer.validation_steps=-1,
    trainer.best_checkpoint_export_subdir=best,trainer.best_checkpoint_eval_metric=sacrebleu_score"
grep -q 'has the best sacrebleu_score so far' bleu.log
grep -q '"sacrebleu_score"' bleu/metrics.jsonl
tfrec events --json bleu | grep -q sacrebleu_score
# a loss above the bound ends the run, or is gone back from
fails 1 experiment bound --params_override=trainer.loss_upper_bound=0.5,trainer.recovery_begin_steps=6
says bound.log "step 10: the mean loss since the last report"
says bound.log "is above trainer.loss_upper_bound=0.5; the checkpoint of step 8 is intact"
fails 1 experiment bound --params_override=trainer.loss_upper_bound=0.5,trainer.recovery_max_trials=1
says bound.log "given up behind trainer.recovery_max_trials=1: step 10"
grep -q 'step 10: back to step 8, and on with the batches behind it' bound.log

# another vocabulary than the data's
fails 2 experiment wrong --params_override=task.sentencepiece_model_path=a.yaml
says wrong.log "is not the vocabulary that the shards of problem 'translate_ende_numbers' were made with"
[ ! -d wrong ]
# a configuration that the run does not have
fails 2 experiment steps --params_override=task.model.embedding_width=64
