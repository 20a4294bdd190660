# Two runs in the same folder: the second one is told, the first one is not disturbed.
mkfifo pipe
t2t-datagen --quiet --name=mine --train=pipe,a.de --data_dir=d --vocab_type=character --num_shards=1 2>first_err &
first=$!
exec 3>pipe
printf 'eins\n' >a.de
rc=0
t2t-datagen --quiet --name=mine --train=a.de,a.de --data_dir=d 2>err || rc=$?
sed "s/process $first/process FIRST/" err
echo "exit code $rc"
kill $first 2>/dev/null || true
exec 3>&-
wait $first || true
