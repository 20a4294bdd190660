#!/usr/bin/env bash
# --worker_gpu=N on a machine with cards for it (emulated: make check-cuda): one command is a rank for each card, with the
# bits of one card that computes the shards one after the other; where nothing can be started it does that, and says so.
. "$T2_ROOT/tests/e2e/train_common.subr"
. "$T2_ROOT/tests/e2e/ranks.subr"
need_mpirun
data data 200
flags="--eval_steps=0 --hparams=hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=1,batch_size=64,max_length=30"

(T2_CUDA_DEVICES=1 train one 2 $flags --device=cuda --worker_gpu=4) || {
    says one.log 'no device' || says one.log 'no CUDA device'
    echo 'no CUDA device, emulated or not' >&2
    exit 77
}
grep -q 'CUDA on the host' one.log || { echo 'for the emulated GPU; make check-cuda' >&2; exit 77; }
! grep -q mpirun one.log

same() { # folder
    cmp "one/model-2.safetensors" "$1/model-2.safetensors"
    cmp "one/optimizer-2.safetensors" "$1/optimizer-2.safetensors"
}
# of three cards two, as four shards are not three times as many; the flag in both spellings
export T2_CUDA_DEVICES=3
train two 2 $flags --device=auto --worker-gpu 4
grep -q -- '--worker_gpu=4, 3 cards: mpirun starts 2 ranks, a card each' two.log
grep -q 'gradients travel from card to card by NCCL' two.log
same two
# a card that is named is the only one, a forecast needs none, ranks start no others
train named 2 $flags --device=cuda:1 --worker_gpu=4
! grep -q mpirun named.log
same named
train forecast 2 $flags --device=cuda --worker_gpu=4 --dry_run >forecast.txt
! grep -q mpirun forecast.log
ranks 2 ranks 2 $flags --device=cuda --worker_gpu=2
! grep -q mpirun ranks.log
same ranks
# no mpirun
mkdir -p bin
ln -s "$(command -v t2t-trainer)" bin/t2t-trainer
(PATH=$PWD/bin train alone 2 $flags --device=cuda --worker_gpu=4)
grep -q 'mpirun cannot be started (No such file or directory): one of 3 cards is used' alone.log
same alone
