# --batch_size, --remat, --max_memory: what fits is found by the plan; what does not is refused before step 0.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=300 2>/dev/null
run() {
    t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir=run --hparams_set=transformer_tiny \
        --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=2 --num_threads=1 --schedule=train \
        --train_steps=1 "$@"
}
run --batch_size=512 --output_dir=kept 2>/dev/null
run --batch_size=512 --remat=layer --output_dir=again 2>/dev/null
cmp kept/model-1.safetensors again/model-1.safetensors && echo "the same bits"
run --batch_size=auto --max_memory=128M 2>&1 | grep -o 'batch_size=[0-9]* is the largest' | sed 's/=[0-9]*/=.../'
# an epoch is the end, not the machine's memory; and it is answered in seconds (of the processor)
# shellcheck disable=SC3045 # every shell here has -t
(ulimit -t 120 && run --dry_run --batch_size=auto --output_dir=none 2>dry.err) | grep -c '^estimate: '
awk 'match($0, /batch_size=[0-9]+/) { chosen = substr($0, RSTART + 11, RLENGTH - 11)
     match($0, /an epoch has [0-9]+/); epoch = substr($0, RSTART + 13, RLENGTH - 13)
     print (chosen > 0 && chosen <= epoch + 0) ? "at most an epoch" : $0 }' dry.err
for bad in --batch_size=0 --batch_size=many --remat=all --max_memory=1k "--batch_size=1000000 --max_memory=128M"; do
    # shellcheck disable=SC2086 # two flags
    run --output_dir=none $bad 2>&1 | sed 's/[0-9.]* [kMG]B/.../g; s/size=[0-9]*[1-9][0-9]* fits/size=... fits/'
done
test ! -e none
