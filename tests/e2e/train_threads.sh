# 1, 2, 3 and more threads than a word has bits give the same bits.
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 400
for n in 1 2 3 130; do train "run$n" 12 --num_threads=$n; done
cmp run1/model-12.safetensors run2/model-12.safetensors
cmp run1/optimizer-12.safetensors run2/optimizer-12.safetensors
cmp run1/model-12.safetensors run3/model-12.safetensors
cmp run1/model-12.safetensors run130/model-12.safetensors
