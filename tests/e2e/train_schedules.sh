# --schedule, by all names of Tensor2Tensor: each trains and evaluates what its name says, or is refused with the way out.
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 200
evals() { # output: splits and steps of its evaluations
    sed -n 's/.*"eval", "step": \([0-9]*\), "split": "\([a-z]*\)".*/\2 \1/p' "$1/metrics.jsonl" | tr '\n' ','
}
small() { # output, schedule, flags
    out=$1 schedule=$2
    shift 2
    train "$out" 8 --schedule="$schedule" "$@" >"$out.out"
}
small run train
[ "$(evals run)" = '' ]
small run evaluate
small run evaluate_on_train_data
[ "$(evals run)" = 'dev 8,train 8,' ]
grep -q '^step 8 train: loss = ' run.out
find run/eval_eval_train -name 'events.out.tfevents.*' | grep -q .
# the training data at 8 batches, the dev data at one batch more than there are: other numbers
[ "$(sed -n 's/.*"eval".*"loss": \([^,]*\).*/\1/p' run/metrics.jsonl | sort -u | wc -l)" = 2 ]
small run continuous_eval_on_train_data
[ "$(evals run)" = 'dev 8,train 8,train 8,' ]
[ "$(sed -n 's/.*"train", "loss": \([^,]*\).*/\1/p' run/metrics.jsonl | sort -u | wc -l)" = 1 ]
small tested test
[ "$(evals tested)" = 'dev 1,' ] && [ -s tested/model-1.safetensors ] && [ ! -e tested/model-8.safetensors ]
grep -q '"batches": 1,' tested/metrics.jsonl
small decoded train_eval_and_decode --decode_hparams=beam_size=1,extra_length=1
grep -q '"eval", "step": 8, .*"sacrebleu_score": [0-9]' decoded/metrics.jsonl
# the translations of all of dev, line by line beside what they are of
lines() { wc -l <"$1" | tr -d ' '; }
for ending in decodes targets inputs; do
    [ "$(lines "decoded/decode_00000/translate_ende_numbers-8.$ending")" = "$(lines data/translate_ende_numbers.dev.en)" ]
done
sort decoded/decode_00000/translate_ende_numbers-8.inputs >a
sort data/translate_ende_numbers.dev.en | cmp - a
sort decoded/decode_00000/translate_ende_numbers-8.targets >a
sort data/translate_ende_numbers.dev.de | cmp - a
t2t-decoder --quiet --output_dir=decoded --data_dir=data --decode_from_file=decoded/decode_00000/translate_ende_numbers-8.inputs \
    --decode_to_file=again --decode_hparams=beam_size=1,extra_length=1
small named train_eval_and_decode --decode_to_file=here/x --decode_hparams=beam_size=1,extra_length=1
cmp again here/x.transformer.transformer_tiny.translate_ende_numbers.beam1.alpha0.6.decodes
[ ! -e named/decode_00000 ]
small few train_eval_and_decode --decode_hparams=num_samples=3,return_beams=true,extra_length=9
[ "$(lines few/decode_00000/translate_ende_numbers-8.decodes)" = 3 ]
grep -q 'return_beams has no meaning here for data sets' few.log
small memory train_eval_and_decode --decode_hparams=decode_in_memory=true,num_samples=3
[ ! -e memory/decode_00000 ]
small run train --decode_hparams=beam_size=1
grep -q 'mean nothing with --schedule=train' run.log
fails 2 small none train_eval_and_decode --decode_hparams=beam_sise=1
small decoded2 train_eval_and_decode --decode_hparams=num_samples=9 --eval_metrics=edit_distance
grep -q '"edit_distance": [0-9].*"sacrebleu_score": [0-9]' decoded2/metrics.jsonl
cmp decoded/model-8.safetensors run/model-8.safetensors

for s in decode continuous_decode continuous_decode_on_train_data continuous_decode_on_eval_data continuous_decode_from_file; do
    fails 1 small none $s
    says none.log "--schedule=$s is not supported: t2t-decoder translates with one checkpoint"
done
fails 1 small none run_std_server
says none.log 'there are no parameter servers; mpirun or srun'
fails 2 small none evaluates
says none.log "unknown --schedule 'evaluates'; there are train, continuous_train_and_eval, train_and_evaluate"
fails 2 small run evaluate_on_train_data --eval_use_test_set
says run.log 'is not of the test set'
[ ! -e none ]
