# --profile: the parts of a step at the end of a run, of --dry_run and as JSON.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --tmp_dir=tmp --max_cases=300 2>/dev/null
run() { # folder, flags
    out=$1
    shift
    t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir="$out" --hparams_set=transformer_tiny --schedule=train \
        --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 --train_steps=4 --profile "$@"
}
run plain --device=reference --hparams=hidden_size=8,filter_size=8,num_heads=2,num_hidden_layers=1,batch_size=64 2>&1 |
    grep -oE 'profile: 4 steps|linear_relu|\(optimizer\)|products: ' | sort # it begins with what took longest
grep -oE '"layer": "[a-z/]*decoder/layer_0"' plain/trace-4.json | sort -u
run none --dry_run | grep -cE '^profile: |^products: '
run json --json 2>/dev/null | grep '"kind": "profile"' | grep -oE '"[a-z_]*":' | tr -d '\n' |
    sed -E 's/("name":"forward_s":"backward_s":)+/\1.../; s/("m":"n":"k":"trans_a":"trans_b":"calls":"seconds":"gflops":)+/\1.../'
echo
run plain --schedule=evaluate
