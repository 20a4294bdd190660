#!/usr/bin/env bash
# Ranks that have a card each (emulated: make check-cuda): gradients, and with --shard_optimizer values, go from card to
# card, in buckets while the backward pass is replayed; the bits are those of one card with as many data shards.  All
# accesses of the streams are watched: none is without an event in front of it.  Where cards cannot be connected they go
# by way of the hosts.
. "$T2_ROOT/tests/e2e/train_common.subr"
. "$T2_ROOT/tests/e2e/ranks.subr"
need_mpirun
data data 200
export T2_CUDA_WATCH=1 T2_CUDA_DEVICES=3

flags="--device=cuda --eval_steps=0 --hparams=hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=1,batch_size=64,max_length=30,layer_prepostprocess_dropout=0.1"
(T2_CUDA_DEVICES=1 train shards2 3 $flags --worker_gpu=2) || {
    says shards2.log 'no device' || says shards2.log 'no CUDA device'
    echo 'no CUDA device, emulated or not' >&2
    exit 77
}
grep -q 'CUDA on the host' shards2.log || { echo 'for the emulated GPU; make check-cuda' >&2; exit 77; }
(T2_CUDA_DEVICES=1 train shards3 3 $flags --worker_gpu=3)
# a step is run, recorded, replayed
same() { # two folders
    cmp "$1/model-3.safetensors" "$2/model-3.safetensors"
    cmp "$1/optimizer-3.safetensors" "$2/optimizer-3.safetensors"
}
! cmp -s shards2/model-3.safetensors shards3/model-3.safetensors

by_cards() { # log
    grep -q 'gradients travel from card to card by NCCL' "$1"
    ! grep -q 'cuda_on_host:' "$1"
}
ranks 2 ranks2 3 $flags
by_cards ranks2.log
same shards2 ranks2
ranks 3 ranks3 3 $flags --shard_optimizer
by_cards ranks3.log
same shards3 ranks3

unset T2_CUDA_WATCH
# two ranks on one card
(T2_CUDA_DEVICES=1 ranks 2 hosts2 3 $flags)
grep -q "gradients travel by way of the hosts' memory: ncclCommInitRank: invalid usage" hosts2.log
same shards2 hosts2
# and numbers of another kind
ranks 2 halves2 3 $flags --exchange=bfloat16
! grep -q NCCL halves2.log
