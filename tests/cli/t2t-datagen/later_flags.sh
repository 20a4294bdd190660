# Flags of the original that cannot be served say why; nothing is written.
    rc=0
    t2t-datagen --problem=translate_ende_numbers --data_dir=d "$flag" || rc=$?
    echo "$flag: $rc"
done
ls
