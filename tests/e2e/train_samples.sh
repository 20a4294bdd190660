# Evaluations that translate some sentences: in metrics.jsonl, for TensorBoard and on the page; the same bits as
# without.
# With sanitizers by name: serve.sh and decode_ensemble.sh decode, the tests of contact sheets draw
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

# BLEU at evaluation is that of the translations themselves: of one batch, all of which is said
train bleu 130 --eval_samples=1000 --eval_steps=1 --eval_metrics=sacrebleu_score --local_eval_frequency=130 \
    --hparams=batch_size=512,learning_rate_warmup_steps=60
python3 - <<'EOF'
import json
rows = [json.loads(line) for line in open("bleu/metrics.jsonl")]
said = [r for r in rows if r["kind"] == "sample"]
for name, key in ("said", "output"), ("right", "target"):
    with open(name, "w") as f:
        f.writelines(r[key] + "\n" for r in said)
with open("score", "w") as f:
    f.write("%.6f\n" % [r for r in rows if r["kind"] == "eval"][-1]["sacrebleu_score"])
assert len(said) > 3 and float(open("score").read()) > 0, said
EOF
t2t-bleu --scorer=sacrebleu --translation=said --reference=right --score_only --width=6 >alone
cmp score alone
tfrec events bleu/eval | grep -q 'metrics-.*/targets/sacrebleu_score'
