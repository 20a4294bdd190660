# Checkpoints are written beside the steps where there is memory for a copy, else before the next step: the same files.
# What cannot be written ends the run, with the step and the checkpoint that is intact.
. "$T2_ROOT"/tests/e2e/train_common.subr
fail() {
    echo "$*" >&2
    exit 1
}
data data 600
larger=hidden_size=96,filter_size=192,num_heads=2,num_hidden_layers=2,batch_size=256
some() { train "$@" --hparams=$larger --num_threads=1 --save_checkpoints_steps=3 --schedule=train; }

some beside 12
grep -q "saves [1-9]" beside.log || fail "no memory for saves is planned: $(cat beside.log)"
plan=$(sed -n 's/.*memory: \([0-9]*\).* MiB = .*/\1/p' beside.log | head -n 1)
some at_once 12 --max_memory=$((plan - 1))M
if grep -q "saves" at_once.log; then fail "saves are planned, though there is no room: $(cat at_once.log)"; fi
for step in 3 6 9 12; do
    for part in model optimizer; do cmp beside/$part-$step.safetensors at_once/$part-$step.safetensors; done
    grep -q "step $step  saved to 'beside'" beside.log || fail "step $step is not said to be saved"
done

# the thread that writes may not write a file as large as the optimizer's
some stopped 6
blocks=$(($(wc -c <stopped/model-6.safetensors) / 512 + 8))
limited() { (
    trap '' XFSZ
    ulimit -f $blocks
    some stopped 12
); }
fails 1 limited
says stopped.log "step 9 could not be saved (the checkpoint of step 6 is intact; run the same command again to continue)"
[ ! -e stopped/state-9.json ] || fail "a checkpoint without its optimizer exists"
some stopped 12
cmp beside/model-12.safetensors stopped/model-12.safetensors

# a signal comes behind a save that is under way
some ended 12 --pause_at_step=7
some ended 12
cmp beside/model-12.safetensors ended/model-12.safetensors
