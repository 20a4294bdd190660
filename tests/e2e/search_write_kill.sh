# A search that is killed in front of any of its changes to a file, again and again, ends as one that is left
# alone: no result twice, none missing.
# shellcheck source=tests/e2e/train_common.subr
. "$T2_ROOT/tests/e2e/train_common.subr"
# shellcheck source=tests/e2e/stop_at.subr
. "$T2_ROOT/tests/e2e/stop_at.subr"
data data 100
echo 'learning_rate_constant: {float: [0, 1]}' >range.yaml

# The trials' program, which is not killed: its loss is the hparam, and trial 2 is refused.
cat >trainer <<'END'
#!/usr/bin/env -S -u LD_PRELOAD sh
steps=9
for a; do
    case $a in
    --output_dir=*) dir=${a#*=} ;;
    --pause_at_step=*) steps=${a#*=} ;;
    --hparams=*) x=${a##*=} ;;
    esac
done
[ "$T2_TUNE_TRIAL" != 2 ] || { echo 'x: error: refused' && exit 2; }
printf '{"kind": "eval", "step": %s, "loss": %s}\n' "$steps" "$x" >>"$dir/metrics.jsonl"
END
chmod +x trainer
search() { # output_dir
    $run t2t-trainer --quiet --problem=translate_ende_numbers --data_dir=data --output_dir="$1" --train_steps=9 \
        --hparams_set=transformer_tiny --hparams_range=range.yaml --autotune_objective=loss --autotune_max_trials=4 \
        --autotune_algorithm=halving --autotune_trainer=./trainer
}
results() {
    sed -n 's/.*"event": "done", "trial": \([0-9]*\), "rung": \([0-9]*\), "value": \([^,]*\),.*/\2 \1 \3/p
            s/.*"event": "failed", "trial": \([0-9]*\), "rung": \([0-9]*\), "reason": \(".*"\), "sum.*/\2 \1 \3/p' "$1/study.jsonl" | sort
}
run=calls_of
calls=$(search whole 2>whole.out)
results whole >wanted
[ "$(wc -l <wanted)" = 6 ] # 4, 1 and 1
grep -q refused wanted

for point in $(seq 1 "$calls"); do
    # half of them go on with what the last one has left
    [ $((point % 2)) = 0 ] || rm -rf killed
    rc=0 run="stop_at $point KILL"
    search killed >/dev/null 2>&1 || rc=$?
    case $rc in
    137) ;;
    0) [ $((point % 2)) = 0 ] ;;
    *) exit $rc ;;
    esac
    [ $((point % 4)) != 1 ] || continue
    run=
    search killed >killed.out 2>&1 || { cat killed.out && exit 1; }
    results killed >have
    diff wanted have || { echo "after kill -9 before call $point of $calls" && exit 1; }
done
echo "$calls calls"
