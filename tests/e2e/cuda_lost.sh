#!/usr/bin/env bash
# A GPU that is lost while a run uses it (emulated: make check-cuda): the run ends, its last line names the call, the
# kernel and the device, the last checkpoint is sound, and the same command goes on from there to the same bits.
. "$T2_ROOT/tests/e2e/train_common.subr"

data data 200
flags='--device=cuda --save_checkpoints_steps=2 --eval_steps=0 --hparams=hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=1,batch_size=64,max_length=30'
train whole 7 $flags || {
    says whole.log 'no device' || says whole.log 'no CUDA device'
    echo 'no CUDA device, emulated or not' >&2
    exit 77
}
grep -q 'CUDA on the host' whole.log || { echo 'only an emulated GPU can be lost at a kernel; make check-cuda' >&2; exit 77; }

(T2_CUDA_LOST_AT=900 fails 1 train broken 7 $flags)
[ "$(grep -c error: broken.log)" = 1 ]
for words in 'device cuda:0 (CUDA on the host)' 'unknown error (cudaErrorUnknown)' 'the last kernel queued was' \
    'of the graph' 'the last checkpoint is sound'; do
    says broken.log "$words"
done
# the call: of the runtime's, or "launch"
tail -n 1 broken.log | grep -qE 'host\): (cuda[A-Z][A-Za-z]+|launch|copy (to|from|on) the device): unknown'
[ -f broken/model-2.safetensors ]
! [ -f broken/model-7.safetensors ]
train broken 7 $flags
cmp whole/model-7.safetensors broken/model-7.safetensors
cmp whole/optimizer-7.safetensors broken/optimizer-7.safetensors
