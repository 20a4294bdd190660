# The plan is printed, nothing is written; a missing file is said.
printf 'a\n' >a.en
rc=0
t2t-datagen --name=mine --train=a.en,absent.de --dev=b.tsv --data_dir=d --num_threads=2 --dry_run >plan || rc=$?
sed "s/([0-9.]* [kKMGT]*i*B free)/(FREE)/" plan
echo "exit code $rc"
t2t-datagen --problem=translate_ende_numbers --data_dir=d --dry_run --num_threads=2 --max_cases=5000 | sed 's/([0-9.]* [kKMGT]*i*B free)/(FREE)/'
ls; test ! -e d
