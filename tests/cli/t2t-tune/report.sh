# A small search by a program in the trainer's place, looked at in all ways; a trial that is stopped and continued.
# shellcheck source=tests/e2e/train_common.subr
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 50 >/dev/null
cat >trainer <<'END'
#!/bin/sh
for a; do
    case $a in
    --output_dir=*) dir=${a#*=} ;;
    --hparams=*) x=${a##*=} ;;
    esac
done
case $T2_TUNE_TRIAL in
2) echo "x: error: num_heads=$x is not lucky" >&2 && exit 1 ;;
3) [ -e "$dir/once" ] || { : >"$dir/once" && exit 130; } ;;
esac
printf '{"kind": "eval", "step": 5, "loss": 9}\n{"kind": "eval", "step": 9, "loss": %s}\n' "$x" >>"$dir/metrics.jsonl"
END
chmod +x trainer
printf 'num_heads: {discrete: [1, 2, 4, 8]}\n' >range.yaml
search() {
    t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir=search --hparams_set=transformer_tiny \
        --train_steps=9 --hparams_range=range.yaml --autotune_objective=metrics-x/loss --autotune_trainer=./trainer --quiet "$@" 2>&1
}
echo "== forecast" && search --dry_run | sed 's/all, [0-9.]* s .*/all, .../'
echo "== search" && search
echo "== status" && t2t-tune status search
echo "== stop, continue" && t2t-tune stop search 0 && t2t-tune continue search 0 3
t2t-tune worker --quiet --trainer=./trainer search
t2t-tune status search
echo "== report" && t2t-tune report --n=2 search
t2t-tune report --json search | tr -d '\n' | sed 's/"seconds": [0-9.e-]*/"seconds": N/g; s,"by": "[^"]*","by": "B",g; s/$/\n/'
t2t-tune report --html=page.html search
grep -c '"metric": "loss"' page.html
grep -c '@STUDY@' page.html || true
