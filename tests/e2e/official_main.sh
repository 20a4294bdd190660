# transformer_main: its loop with BLEU at each evaluation, continued; the same bits as t2t-trainer; eval and
# predict; what it refuses.
. "$T2_ROOT/tests/e2e/train_common.subr"
. "$T2_ROOT/tests/e2e/official_common.subr"
raw raw 600
pair data/newstest2014 20
data_download --quiet --data_dir=data --raw_dir=raw

main() { # model_dir, flags
    out=$1
    shift
    transformer_main --model_dir="$out" --data_dir=data --param_set=tiny --batch_size=256 --max_length=64 \
        --hparams=num_hidden_layers=1,vocab_size=0,learning_rate_warmup_steps=10 "$@" 2>>"$out.log"
}
bleu="--vocab_file=data/vocab.ende.32768 --bleu_source=data/newstest2014.en --bleu_ref=data/newstest2014.de"

# shellcheck disable=SC2086 # several flags
main run $bleu --train_steps=7 --steps_between_evals=3 --static_batch=true --use_ctl=true --padded_decode=true \
    --tpu=name --distribution_strategy=tpu --decode_batch_size=8 --decode_max_length=97 --enable_metrics_in_training \
    --validation_steps=2 >scores
grep -o '^Bleu score ([a-z]*)' scores | sort | uniq -c | tr -s ' ' >counts
printf ' 3 Bleu score (cased)\n 3 Bleu score (uncased)\n' | cmp - counts
[ "$(grep -c 'Start train iteration at global step:' run.log)" = 3 ]
grep -q 'End train iteration at global step:7' run.log
grep -q 'step 3  dev: loss' run.log
grep -q -- '--padded_decode means nothing here' run.log
# events in the original's folder: a line of training and of dev at each evaluation
[ "$(tfrec events --scalars --tag=training_loss run/summary | cut -f1 | tr '\n' ' ')" = 'step 3 6 7 ' ]
[ "$(tfrec events --scalars --tag=accuracy_per_sequence run/eval | cut -f1 | tr '\n' ' ')" = 'step 3 6 7 ' ]
# stopped at each evaluation or not, by either program: the same bits
t2t-trainer --problem=wmt32k --data_dir=data --output_dir=straight --model=official_transformer \
    --hparams_set=official_transformer_tiny --batch_size=256 --train_steps=7 --eval_steps=0 --schedule=train \
    --hparams=max_length=64,static_batch=true,use_ctl=true,num_hidden_layers=1,vocab_size=0,learning_rate_warmup_steps=10 2>straight.log
cmp run/model-7.safetensors straight/model-7.safetensors
# nothing is left to train
# shellcheck disable=SC2086
main run $bleu --train_steps=7 --static_batch=true --use_ctl=true >again
tail -n 2 scores | cmp - again
# shellcheck disable=SC2086
main run $bleu --mode=eval >evaluated
cmp again evaluated
main run --mode=predict >predicted # the first batch of dev: 256 / 64 rows
[ "$(grep -c '^Translation: ".*"$' predicted)" = 4 ]

# short names, and flags that no line above has: the same bits
transformer_main -md short -dd data -mp tiny -bs 256 -ml 64 -sb -dt fp32 -vf data/vocab.ende.32768 -bls data/newstest2014.en \
    -blr data/newstest2014.de -ts 3 -sbe 3 -vs 2 -ng 1 -ds off -npc 2 -ara nccl -gt_mode x -pgtc 0 --use_ctl --log_steps=2 \
    --keep_checkpoint_max=1 --random_seed=1 --device=cpu --max_memory=4G \
    --hparams=num_hidden_layers=1,vocab_size=0,learning_rate_warmup_steps=10 2>short.log >short.scores
cmp run/model-3.safetensors short/model-3.safetensors
head -n 2 scores | cmp - short.scores
[ "$(find short -name 'model-*.safetensors' | wc -l)" = 1 ]

# a reference of other lines is found at the first evaluation, a file that is missing before the first step
fails 2 main bad --bleu_source=data/newstest2014.en
says bad.log 'both or neither --bleu_source and --bleu_ref'
fails 2 main bad --bleu_source=data/newstest2014.en --bleu_ref=data/newstest2014.de
says bad.log '--vocab_file must be defined'
fails 1 main bad --vocab_file=data/vocab.ende.32768 --bleu_source=absent --bleu_ref=data/newstest2014.de
says bad.log "bleu_source='absent': there is no such file"
fails 2 main bad --vocab_file=data/newstest2014.en --train_steps=1
says bad.log 'is not the vocabulary that the shards'
fails 2 main bad --mode=serve
says bad.log "Invalid mode 'serve'"
fails 2 main bad --mode=eval
fails 2 main bad --param_set=huge
fails 2 main bad --dtype=int8
fails 2 main bad --train_steps=0
fails 1 main bad --distribution_strategy=parameter_server
says bad.log 'distribution_strategy=parameter_server is not supported: '
fails 1 main bad --loss_scale=128
[ ! -d bad ]
