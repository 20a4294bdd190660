# Flags of the original that cannot be served say why; nothing is written.
for flag in --timit_paths=a --env_problem_batch_size=2; do
    rc=0
    t2t-datagen --problem=translate_ende_numbers --data_dir=d "$flag" || rc=$?
    echo "$flag: $rc"
done
ls
