# A run folder that Tensor2Tensor's trainer left: evaluated here it has the loss that was recorded there, and the
# same command goes on from its step.
from=${T2_DATA:-$T2_ROOT/../shared/data}/reference-runs/t2t-checkpoint
[ -d "$from" ] || { echo "no $from: set T2_DATA"; exit 77; }
mkdir run data
for f in "$from"/run/* "$from"/data/*; do
    dir=${f%/*} to=${f##*/}
    case $f in *.gz) gzip -dc "$f" >"${dir##*/}/${to%.gz}" ;; *) cat "$f" >"${dir##*/}/$to" ;; esac
done
problem=$(basename data/*-dev-* | sed 's/-dev-.*//')
step=$(sed -n 's/^model_checkpoint_path: "model.ckpt-\(.*\)"/\1/p' run/checkpoint)
run() {
    t2t-trainer --quiet --problem="$problem" --model=transformer --hparams_set=transformer_tiny --data_dir=data \
        --output_dir=run "$@"
}
value() { tr ',' '\n' <"$1" | sed -n "s,.*$2 = \(-*[0-9.]*\).*,\1,p" | head -n 1; }
run --schedule=evaluate --eval_steps="$(sed -n 's/^"eval_steps": \([0-9]*\),/\1/p' run/hparams.json)" >here
cat "$from"/eval-*.txt >there
for name in loss neg_log_perplexity; do
    awk -v a="$(value there "[ /]$name")" -v b="$(value here "[ /]$name")" -v name="$name" 'BEGIN {
        d = a - b
        print name, (a != "" && b != "" && d < 2e-6 && d > -2e-6 ? "is the same" : a " there, " b " here")
    }'
done
cp data/"$problem"-dev-00000-of-00001 data/"$problem"-train-00000-of-00001
run --schedule=train --train_steps=$((step + 3))
[ -f run/state-$((step + 3)).json ] && [ -f run/model.ckpt-"$step".index ]
grep -c "\"optimizer_updates\": $((step + 3))," run/state-$((step + 3)).json
