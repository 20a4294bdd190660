# Initial loss, the curve of 300 steps and three evaluations lie in the band of Tensor2Tensor's three recorded runs
# of transformer_tiny on Multi30k: T2_DATA/oracles/t2t_run/multi30k-curve.json.
: "${T2_DATA:=$T2_ROOT/../shared/data}"
recorded=$T2_DATA/oracles/t2t_run
text=$T2_DATA/multi30k-en-de
[ -f "$recorded/multi30k-curve.json" ] && [ -f "$text/train.en.gz" ] || { echo "no recorded curve in T2_DATA" >&2; exit 77; }
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
problem=translate_multi30k_ende1k
t2t-datagen --quiet --name=$problem --train="$text/train.en.gz,$text/train.de.gz" --dev="$text/val.en.gz,$text/val.de.gz" \
    --vocab="$recorded/vocab.$problem.subwords" --data_dir=data --num_shards=4
t2t-trainer --quiet --problem=$problem --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
    --hparams=batch_size=1024,learning_rate_constant=0.5,learning_rate_warmup_steps=400 \
    --train_steps=300 --eval_steps=100 --local_eval_frequency=100 --log_step_count_steps=1 "$@"
python3 - "$recorded/multi30k-curve.json" <<'P'
import json, sys

recorded = json.load(open(sys.argv[1]))
lines = [json.loads(line) for line in open("run/metrics.jsonl")]
loss = {x["step"]: x["loss"] for x in lines if x["kind"] == "train"}
dev = {x["step"]: x["loss"] for x in lines if x["kind"] == "eval"}
bad = 0


def check(what, value, seeds, margin):
    """Within what three seeds gave, and a little more: a fourth may lie outside."""
    global bad
    inside = min(seeds) - margin <= value <= max(seeds) + margin
    bad += not inside
    print("%-14s %.3f  recorded %.3f .. %.3f%s" % (what, value, min(seeds), max(seeds), "" if inside else "  OUTSIDE"))


first = recorded["curve"][0]
check("first step", loss[1], (first["lowest"], first["highest"]), 0.1)
for w in recorded["curve_in_windows_of_5_points"]:
    a, b = w["steps"]
    check("%d .. %d" % (a, b), sum(loss[s] for s in range(a, b + 1)) / (b + 1 - a), w["seeds"].values(), 0.05)
for step, scores in recorded["evaluations_by_seed"].items():
    check("dev at %s" % step, dev[int(step)], scores["loss"], 0.05)
sys.exit(bad > 0)
P
