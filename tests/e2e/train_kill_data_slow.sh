# 2000 steps on Multi30k, killed twenty times at random moments, end with the bits of a run that never was.
. "$T2_ROOT/tests/e2e/train_kill.subr"
: "${T2_DATA:=$T2_ROOT/../shared/data}"
text=$T2_DATA/multi30k-en-de
[ -f "$text/train.en.gz" ] || { echo "no Multi30k in T2_DATA" >&2; exit 77; }
t2t-datagen --quiet --name=multi30k --train="$text/train.en.gz,$text/train.de.gz" --dev="$text/val.en.gz,$text/val.de.gz" \
    --vocab_size=2000 --data_dir=data --num_shards=4
killed_run() {
    exec t2t-trainer --quiet --problem=multi30k --data_dir=data --output_dir="$1" --train_steps=2000 \
        --hparams_set=transformer_tiny --hparams=hidden_size=64,filter_size=128,num_heads=2,batch_size=512 \
        --local_eval_frequency=200 --save_checkpoints_steps=20 --eval_steps=5 --log_step_count_steps=50
}
survive_kills 20
tail -n 2 straight.losses >&2
