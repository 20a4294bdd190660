# nvcc compiles every kernel without a warning, as far as PTX for sm_90a: what its front end has to say.
# Machine code for all targets (make CUDA=yes) takes minutes, and is made where a GPU is.  Where cuDNN's
# header is, what cudnn_api.h declares of it is held against it.
PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null || { echo "nvcc is not installed"; exit 77; }
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
export out
include=$(dirname "$(readlink -f "$(command -v nvcc)")")/../include
cat >"$out/agree.c" <<'END'
#include <cudnn.h>
#include "train/device/cuda/cudnn_api.h"
#define SAME(ours, theirs) _Static_assert((int) (ours) == (int) (theirs), #ours)
SAME(DNN_FLOAT, CUDNN_DATA_FLOAT);
SAME(DNN_HALF, CUDNN_DATA_HALF);
SAME(DNN_BFLOAT16, CUDNN_DATA_BFLOAT16);
SAME(DNN_NHWC, CUDNN_TENSOR_NHWC);
SAME(DNN_CROSS_CORRELATION, CUDNN_CROSS_CORRELATION);
SAME(DNN_DEFAULT_MATH, CUDNN_DEFAULT_MATH);
SAME(DNN_TENSOR_OP_MATH, CUDNN_TENSOR_OP_MATH);
SAME(DNN_FMA_MATH, CUDNN_FMA_MATH);
SAME(DNN_DETERMINISTIC, CUDNN_DETERMINISTIC);
SAME(0, CUDNN_STATUS_SUCCESS);
#define SAME_STRUCT(theirs) \
    SAME(sizeof(struct dnn_algorithm), sizeof(theirs)); \
    SAME(offsetof(struct dnn_algorithm, status), offsetof(theirs, status)); \
    SAME(offsetof(struct dnn_algorithm, memory), offsetof(theirs, memory)); \
    SAME(offsetof(struct dnn_algorithm, determinism), offsetof(theirs, determinism)); \
    SAME(offsetof(struct dnn_algorithm, math_type), offsetof(theirs, mathType))
SAME_STRUCT(cudnnConvolutionFwdAlgoPerf_t);
SAME_STRUCT(cudnnConvolutionBwdDataAlgoPerf_t);
SAME_STRUCT(cudnnConvolutionBwdFilterAlgoPerf_t);
END
if [ -f "$include/cudnn.h" ]; then
    cc -std=c11 -I. -isystem "$include" -fsyntax-only "$out/agree.c" || exit 1
fi
find train -name '*.cu' | LC_ALL=C sort | xargs -r -P "$JOBS" -n 1 sh -c '
    nvcc -std=c++17 -O1 -ptx -arch=compute_90a -I. -Xcompiler -Wall,-Wextra -Werror all-warnings "$0" -o "$out/$(basename "$0").ptx" 2>&1'
