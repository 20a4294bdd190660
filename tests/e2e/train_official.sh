# The official Transformer: trained, continued with the bits of a straight run (Keras' counter goes on),
# decoded by its own rules.
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 300

official() { # output folder, steps, hparams
    t2t-trainer --problem=translate_ende_numbers --data_dir=data --output_dir="$1" --train_steps="$2" \
        --model=official_transformer --hparams_set=official_transformer_tiny \
        --hparams="num_hidden_layers=1,batch_size=256,learning_rate_warmup_steps=10,${3:-vocab_size=0}" \
        --local_eval_frequency=20 --log_step_count_steps=4 --eval_steps=2 2>>"$1.log"
}

official straight 30
official steps 7
official steps 30
cmp straight/model-30.safetensors steps/model-30.safetensors
cmp straight/optimizer-30.safetensors steps/optimizer-30.safetensors

# another way of counting is another run
official loop 30 vocab_size=0,use_ctl=true
! cmp -s straight/model-30.safetensors loop/model-30.safetensors
fails 2 official steps 40 vocab_size=0,use_ctl=true
says steps.log 'use_ctl is true, in the run it is false'

fails 2 official small 10 vocab_size=100
says small.log 'vocab_size=100 is less than the'

head -n 5 data/translate_ende_numbers.dev.en >in
t2t-decoder --problem=translate_ende_numbers --data_dir=data --output_dir=straight --decode_from_file=in \
    --decode_to_file=out --decode_hparams='beam_size=3,return_beams=true,write_beam_scores=true' 2>decoder.log
[ "$(wc -l <out)" = 5 ]
[ "$(head -n 1 out | tr '\t' '\n' | wc -l)" = 6 ]
