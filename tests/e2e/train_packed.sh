# Training on rows that are packed on the fly, in both of the original's ways, and in the original's
# order: the same bits for any number of threads and after an interruption; the loss falls.
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 200

loss_of() { sed -n "s/.*\"kind\": \"train\", \"step\": $2,.*\"loss_mean\": \([^,]*\),.*/\1/p" "$1/metrics.jsonl"; }

check() { # name, flags
    name=$1
    shift
    train "$name" 16 --num_threads=1 --eval_steps=0 "$@"
    train "$name.steps" 5 --num_threads=2 --eval_steps=0 "$@"
    train "$name.steps" 16 --num_threads=2 --eval_steps=2 "$@"
    cmp "$name/model-16.safetensors" "$name.steps/model-16.safetensors"
    cmp "$name/optimizer-16.safetensors" "$name.steps/optimizer-16.safetensors"
    grep -q '"stall": ' "$name/metrics.jsonl"
    awk -v a="$(loss_of "$name" 4)" -v b="$(loss_of "$name" 16)" 'BEGIN { exit !(a > 0 && b < a) }'
}

# the last --hparams is the one that counts
small=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1,batch_size=256,learning_rate_constant=2.0,learning_rate_warmup_steps=16
check latest --hparams=$small,max_length=64,pack_dataset=true
check queue --hparams=$small,max_length=64,pack_dataset=true,use_custom_ops=false
check reference --hparams=$small --order=reference
check both --hparams=$small,max_length=64,pack_dataset=true --order=reference
! cmp -s latest/model-16.safetensors both/model-16.safetensors
train official 8 --model=official_transformer --hparams_set=official_transformer_tiny --hparams=$small,max_length=64,vocab_size=0,static_batch=true

# a run keeps its order, and says what differs
fails 2 train reference 48 --hparams=$small --order=shuffled
says reference.log 'sample_order is "shuffled", in the run it is "reference"'
fails 2 train latest 48 --hparams=$small,max_length=64,pack_dataset=true,use_custom_ops=false
says latest.log 'use_custom_ops is false, in the run it is true'
fails 2 train other 8 --order=sorted
says other.log "--order is shuffled or reference, not 'sorted'"
