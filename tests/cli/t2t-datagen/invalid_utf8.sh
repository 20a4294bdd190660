# What is not UTF-8 fails with its place, or is replaced, or is left out, and is counted.
printf 'one\ntw\377o\nthree \360\237\230 x\n' >a.en
printf 'eins\nzwei\ndrei\n' >a.de
run() { t2t-datagen --quiet --name=mine --vocab_type=character --train=a.en,a.de --dev=a.en,a.de --num_shards=1 "$@"; }
run --data_dir=fail || echo "exit code $?"
ls fail
for policy in replace drop; do
    run --data_dir=$policy --invalid=$policy
    grep -A12 '"dropped": {' $policy/mine.manifest.json | grep '"total"'
    tfrec count $policy/mine-train-00000-of-00001
    tfrec head -n 4 $policy/mine-dev-00000-of-00001
done
grep -A4 '"replaced_utf8"' replace/mine.manifest.json
run --data_dir=replace || echo "exit code $?"
run --data_dir=d --invalid=guess || echo "exit code $?"
