# Two runs in the same folder: the second one is told, the first one is not disturbed.
t2t-datagen --quiet --problem=translate_ende_numbers --max_cases=20000000 --data_dir=d 2>first_err &
first=$!
while [ ! -f d/translate_ende_numbers.lock ]; do sleep 0.02; done
rc=0
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=d 2>err || rc=$?
sed "s/process $first/process FIRST/" err
echo "exit code $rc"
kill $first
wait $first || true
cat first_err
