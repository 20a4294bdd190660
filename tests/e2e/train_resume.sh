# A run that is interrupted, killed and continued gives the bits of a straight one: parameters,
# optimizer, and the losses in metrics.jsonl.
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 600

train straight 120 --num_threads=1
train steps 3 --num_threads=2
train steps 8
train steps 120 --num_threads=2
cmp straight/model-120.safetensors steps/model-120.safetensors
cmp straight/optimizer-120.safetensors steps/optimizer-120.safetensors

# Stopped by a signal (not INT: a shell's background jobs ignore it) or killed, when it has reported
# something new.
lines() { wc -l 2>/dev/null <stopped/metrics.jsonl || echo 0; }
mkdir stopped && : >stopped/metrics.jsonl
for signal in TERM KILL TERM KILL; do
    n=$(lines)
    become_trainer stopped 120 &
    while kill -0 $! 2>/dev/null && [ "$(lines)" -le $((n + 2)) ]; do sleep 0.01; done
    kill -$signal $! 2>/dev/null || true
    wait $! || true
done
grep -q 'interrupted after step' stopped.log
train stopped 120
cmp straight/model-120.safetensors stopped/model-120.safetensors
cmp straight/optimizer-120.safetensors stopped/optimizer-120.safetensors

# the same reports, but for times and for what is summed since the last start
losses() { sed -n 's/.*"kind": "\([a-z]*\)", "step": \([0-9]*\).*"loss": \([^,]*\),.*/\1 \2 \3/p' "$1/metrics.jsonl" | sort -u -k 2n; }
losses straight | grep '^train' >a
losses steps | grep '^train' >b
losses stopped | grep '^train' >c
grep -vxFf b a >missing || true
[ ! -s missing ]
grep -vxFf c a >missing || true
[ ! -s missing ]

# and the same events: none is lost, none is there twice
events() { tfrec events --scalars --tag="$2" "$1" | cut -f2,4,5 | sort; }
events straight loss | grep . >a
events stopped loss | cmp - a
events straight 'metrics-*' | grep . >a
events stopped 'metrics-*' | cmp - a

# a page about both
t2t-trainer report straight stopped -o page.html
grep -q '"dir":"stopped","lines":\[{"kind": "train"' page.html

# what ends before its first line, or between two of them, has one of what it did: a run that a signal ends, and one that
# stops early
become_trainer brief 100000 --log_step_count_steps=100000 --local_eval_frequency=100000 &
while kill -0 $! 2>/dev/null && ! grep -q 'step [1-9]' brief.log; do sleep 0.01; done
kill -TERM $!
wait $! || true
step=$(sed -n 's/.*interrupted after step \([0-9]*\),.*/\1/p' brief.log)
grep -q "\"kind\": \"train\", \"step\": $step, .*\"steps\": $step," brief/metrics.jsonl
events brief loss | grep -q .
train early 100 --log_step_count_steps=20 --eval_early_stopping_steps=8 --eval_early_stopping_metric_delta=100
grep -q '"kind": "train", "step": 16, .*"steps": 16,' early/metrics.jsonl
events early training/loss | grep -q .

# a reached number of steps trains nothing more, and the files stay
before=$(ls -l straight/model-120.safetensors)
train straight 120
[ "$before" = "$(ls -l straight/model-120.safetensors)" ]
grep -q 'step 120 is reached already' straight.log
