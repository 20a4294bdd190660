#!/usr/bin/env bash
# A program built with CUDA by nvcc on a machine without a GPU, or with one that it may not see: it starts, since the
# runtime is linked into it and all else is opened when needed; --device=auto says that it takes the cpu, and why;
# --device=cuda is refused.  In builds that have it (make check-nvcc).
. "$T2_ROOT/tests/e2e/train_common.subr"
export CUDA_VISIBLE_DEVICES=-1

trainer=$(command -v t2t-trainer)
t2t-trainer --version | grep -q '^features:.* cuda\( \|$\)' || { echo 'built without nvcc: make check-nvcc' >&2; exit 77; }
! ldd "$trainer" | grep -iE "lib(cuda|cublas|cudnn|nccl|nv)[a-zA-Z]*\.so"

data data 200
train auto 2 --eval_steps=0
grep -q ' device: cpu .*(no CUDA device)' auto.log
train cpu 2 --eval_steps=0 --device=cpu
cmp auto/model-2.safetensors cpu/model-2.safetensors

for device in cuda cuda:1; do
    fails 1 train none 2 --device=$device
    says none.log 'error: no CUDA device: '
    [ ! -e none ]
done
printf 'one two\n' >in
t2t-decoder --problem=translate_ende_numbers --data_dir=data --output_dir=auto --decode_from_file=in --decode_to_file=out \
    2>decoder.log
grep -q '(no CUDA device)' decoder.log
[ "$(wc -l <out)" = 1 ]

# machine code and PTX for what the build says; NVIDIA's tool for that may be missing
cuobjdump=$(command -v cuobjdump || echo /usr/local/cuda/bin/cuobjdump)
[ -x "$cuobjdump" ] || exit 0
for target in sm_80 sm_90a; do
    "$cuobjdump" --list-elf "$trainer" | grep -q "\.$target\."
    "$cuobjdump" -arch $target -res-usage "$trainer" | grep -c 'REG:' | awk '{ exit $1 < 100 }'
done
"$cuobjdump" --list-ptx "$trainer" | grep -q '\.sm_90\.'
