# Evaluations that translate some sentences: in metrics.jsonl, for TensorBoard and on the page; the same bits as
# without.
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 300

train plain 16
train samples 16 --eval_samples=2
cmp plain/model-16.safetensors samples/model-16.safetensors
cmp plain/optimizer-16.safetensors samples/optimizer-16.safetensors
[ "$(grep -c '"kind": "sample"' samples/metrics.jsonl)" = 4 ]
grep -q '"kind": "sample", "step": 8, "source": "[^"][^"]*", "target": "[^"][^"]*", "output": "' samples/metrics.jsonl
[ "$(tfrec events --tag='samples/*' samples/eval | grep -c samples/1)" = 2 ]
t2t-trainer report samples -o page.html
grep -q '"kind": "sample", "step": 16' page.html
