# t2t-trainer, t2t-decoder, t2t-avg-all: every fault ends in the right bytes or in a message (fault_at.subr)
. "$T2_ROOT/tests/e2e/fault_at.subr"
same_stdout=0 not_compared='[ms][et][ta]*.json*' # metrics and states, with their times
# shellcheck disable=SC2317
same_too() {
    for state in whole/o/state-*.json; do
        grep -v wall_seconds "$state" >state
        grep -v wall_seconds "job/${state#whole/}" 2>/dev/null | diff state - || return 1
    done
}
cd start || exit 1
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=t --max_cases=60 2>/dev/null >/dev/null
rm -rf t
cd .. || exit 1
model="--problem=translate_ende_numbers --data_dir=data --hparams_set=transformer_tiny"
model="$model --hparams=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,batch_size=256"
# shellcheck disable=SC2317
train() { $run t2t-trainer --quiet $model --output_dir=o --train_steps="$1" --local_eval_frequency=2 --eval_steps=1 --num_threads=1; }
# shellcheck disable=SC2317
job() { train 2 >stdout; }
sweep t2t-trainer
(cd start && train 2 && train 4 && printf 'one\ntwo three\n' >text) >/dev/null 2>&1
# shellcheck disable=SC2317
job() { train 6 >stdout; }
sweep 't2t-trainer, going on'
# shellcheck disable=SC2317
job() { $run t2t-decoder --quiet $model --output_dir=o --decode_from_file=text --decode_to_file=y --num_threads=1 >stdout; }
sweep t2t-decoder
# shellcheck disable=SC2317
job() { $run t2t-avg-all --quiet --model_dir=o --output_dir=avg --n=2 >stdout; }
sweep t2t-avg-all
swept
