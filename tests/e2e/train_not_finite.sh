# A NaN in layer 3 at step 57: named, kept, replayed, left out, and left behind by a rollback.
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 600
layers=--hparams=hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=3,batch_size=512

export T2_PLANT_NAN=57:3
fails 1 train stop 80 "$layers"
says stop.log 'step 57: the loss is not a number; the first is operator'
says stop.log 'in transformer/body/encoder/layer_2, with'
says stop.log "the checkpoint of step 56 is intact; the batch is in 'stop/not-finite-57.json'"
grep -q '"records": \["'"'"'data/translate_ende_numbers-train-0000.*-of-00010.*: record [0-9]* at offset [0-9]*"' stop/not-finite-57.json
grep -q '"inputs_text": \["' stop/not-finite-57.json

before=$(find stop -type f | sort | xargs cksum)
train stop 80 "$layers" --replay_step=57 >table
grep -q "operator 'attention', backward, in transformer/body/decoder/layer_0" table
tail -n 1 table | grep -q "^the first that is not finite: operator .*, forward, in transformer/body/encoder/layer_2"
[ "$before" = "$(find stop -type f | sort | xargs cksum)" ]
(
    unset T2_PLANT_NAN
    train stop 80 "$layers" --replay_step=57 | tail -n 1 | grep -qx 'all is finite'
)

train skip 80 "$layers" --on_nan=skip
grep -q 'step 57: its batch is left out' skip.log
train back 80 "$layers" --on_nan=rollback --save_checkpoints_steps=20 --local_eval_frequency=1000
grep -q 'step 57: back to step 40, and on with the batches behind it' back.log

# every step is reported once
[ "$(sed -n 's/.*"train", "step": \([0-9]*\).*/\1/p' back/metrics.jsonl | sort -n | uniq -d | wc -l)" = 0 ]
[ "$(tfrec events --scalars --tag=training/loss back | cut -f2 | sort | uniq -d | wc -l)" = 0 ]

# a run that stops before its first line says what it did
T2_PLANT_NAN=3:1 fails 1 train early 80 "$layers" --log_step_count_steps=100 --summary_histograms
[ "$(sed -n 's/.*"train", "step": \([0-9]*\).*/\1/p' early/metrics.jsonl)" = 2 ]
[ "$(tfrec events --scalars --tag=training/loss early | sed -n '2p;$=' | cut -f1 | tr '\n' ' ')" = '2 2 ' ]
T2_PLANT_NAN=1:1 fails 1 train first 80 "$layers"
[ ! -s first/metrics.jsonl ]

fails 2 t2t-trainer --on_nan=perhaps --data_dir=data --output_dir=x 2>log
says log "--on_nan is stop, skip or rollback, not 'perhaps'"
fails 2 train stop 80 "$layers" --replay_step=81
says stop.log '--replay_step is one of --train_steps, not 81'
