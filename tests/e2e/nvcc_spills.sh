#!/usr/bin/env bash
# Registers that kernels of three files keep in local memory: none on sm_90a, next to none on sm_80, where ptxas takes
# fewer of them for more blocks; and the gradient of an area's deviation a few (its loops are six deep).  Kernels of the
# others have none, or nvcc's warning of it ends the build (mk/cuda.mk).
PATH=$PATH:/usr/local/cuda/bin
case ${T2_BUILD:?} in */nvcc) ;; *) echo "nvcc alone is asked: make check-nvcc" >&2; exit 77 ;; esac
command -v nvcc >/dev/null || { echo 'nvcc is not installed' >&2; exit 77; }
command -v python3 >/dev/null || { echo 'python3 is not installed' >&2; exit 77; }
here=$PWD
cd "$T2_ROOT" || exit
table() { # architecture, bytes
    python3 bench/cuda_registers.py --jobs 2 --arch "$1" --most-spills "$2" train/device/cuda/attention_tensor.cu \
        train/device/cuda/attention_tiles.cu train/device/cuda/pooling_cuda.cu >"$here/$1.md"
}
table 90a 0
python3 bench/cuda_registers.py --arch 90a --most-spills 80 train/device/cuda/areas_cuda.cu >"$here/areas.md"
rc=0
table 80 8 || rc=$?
[ $rc = 1 ] # the bound is one: there are some
awk -F'|' '$2 ~ /\.cu/ { n++; if ($8 > 64) { print; bad = 1 } } END { exit bad || n < 12 }' "$here/80.md" >&2
