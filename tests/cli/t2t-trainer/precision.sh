# --precision: bfloat16 factors change the loss a little, are said in the banner, and give the same bits on any threads.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=300 2>/dev/null
run() { # folder, flags
    out=$1
    shift
    t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir="$out" --hparams_set=transformer_tiny --schedule=train \
        --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=2,batch_size=512 --train_steps=10 "$@"
}
run full --num_threads=1 2>/dev/null
run half1 --num_threads=1 --precision=bfloat16 2>&1 | grep -c 'device: .*bfloat16'
run half2 --num_threads=2 --precision=bf16 2>/dev/null
cmp half1/model-10.safetensors half2/model-10.safetensors && echo "the same bits"
cmp -s full/model-10.safetensors half1/model-10.safetensors || echo "other bits"
loss() { grep -o '"loss":[^,]*' "$1/metrics.jsonl" | head -n 1 | cut -d: -f2; }
awk "BEGIN { d = $(loss full) / $(loss half1); print(d > 0.99 && d < 1.01 ? \"close\" : \"far: \" d) }"
# a run keeps its precision, and says when another is asked for
run half1 --num_threads=1 --train_steps=12 2>&1 | grep -c 'device: .*bfloat16'
grep '"precision"' half1/state-12.json
run half1 --train_steps=14 --precision=float32 2>&1 | tail -n 1
run half1 --num_threads=1 --train_steps=14 --precision=float32 --allow_hparams_change 2>&1 | grep warning
grep '"precision"' half1/state-14.json
# float16, here as the hparam asks for it, keeps its loss scale
run sixteen --num_threads=1 --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=2,batch_size=512,activation_dtype=float16 2>/dev/null
awk "BEGIN { d = $(loss full) / $(loss sixteen); print(d > 0.99 && d < 1.01 ? \"close\" : \"far: \" d) }"
grep -A3 '"loss_scale"' sixteen/state-10.json
# a scale that overflows falls, and no step is lost
run large --num_threads=1 --precision=float16 --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=2,batch_size=512,mixed_precision_optimizer_init_loss_scale=1073741824 2>large.log
grep -q 'is not finite; nothing was updated, with the loss times' large.log
grep -o '"scale": [0-9]*' large/state-10.json | awk '{ print($2 >= 1 && $2 < 1073741824 ? "fell" : "stands") }'
run none --precision=float8
