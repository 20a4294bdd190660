# nvcc compiles every kernel without a warning, as far as PTX for sm_90a: what its front end has to say.
# Machine code for all targets (make CUDA=yes) takes minutes, and is made where a GPU is.
PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null || { echo "nvcc is not installed"; exit 77; }
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
export out
find train -name '*.cu' | LC_ALL=C sort | xargs -r -P "$JOBS" -n 1 sh -c '
    nvcc -std=c++17 -O1 -ptx -arch=compute_90a -I. -Xcompiler -Wall,-Wextra -Werror all-warnings "$0" -o "$out/$(basename "$0").ptx" 2>&1'
