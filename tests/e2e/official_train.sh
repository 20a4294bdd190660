# The trainer and the decoder take what data_download made, and the same files without a manifest, as TensorFlow's
# program leaves them.
. "$T2_ROOT/tests/e2e/official_common.subr"
raw raw 600
pair data/newstest2014 5
data_download --quiet --data_dir=data --raw_dir=raw

train() { # data_dir, output folder
    t2t-trainer --problem=wmt32k --data_dir="$1" --output_dir="$2" --train_steps=12 --model=official_transformer \
        --hparams_set=official_transformer_tiny --hparams=num_hidden_layers=1,batch_size=256,vocab_size=0 \
        --local_eval_frequency=12 --eval_steps=2 2>>"$2.log"
}
train data run
mkdir theirs
cp data/vocab.ende.32768 data/wmt32k-*-of-* theirs
train theirs their_run
tensors() { # without the header, which names the hash of the data
    tail -c +$(($(od -An -tu8 -N8 "$1") + 9)) "$1"
}
tensors run/model-12.safetensors >ours
tensors their_run/model-12.safetensors | cmp - ours
t2t-decoder --problem=wmt32k --data_dir=data --output_dir=run --decode_from_file=data/newstest2014.en \
    --decode_to_file=out --decode_hparams=beam_size=2 2>decoder.log
[ "$(wc -l <out)" = 5 ]
tfrec verify --quiet data
# the other direction of the same set
t2t-trainer --problem=wmt32k_rev --data_dir=data --output_dir=rev --train_steps=2 --hparams_set=transformer_tiny \
    --hparams=hidden_size=32,filter_size=48,num_heads=2,num_hidden_layers=1,batch_size=512 --eval_steps=1 2>rev.log
