# Two runs in the same folder: the second one is told, the first one is not disturbed.
t2t-datagen --quiet --problem=translate_ende_numbers --max_cases=500 --data_dir=d >out 2>&1
set -- --quiet --problem=translate_ende_numbers --data_dir=d --output_dir=run --hparams_set=transformer_tiny
t2t-trainer "$@" --train_steps=1000000 2>first_err &
first=$!
while [ ! -f run/training.lock ]; do sleep 0.02; done
rc=0
t2t-trainer "$@" --train_steps=10 2>err || rc=$?
sed "s/process $first/process FIRST/" err
echo "exit code $rc"
kill $first
wait $first || true
cat first_err
