/*
 * train/device/cuda/class_loss_cuda.cu - the loss of class labels: softmax cross-entropy of logits
 * (N,V), a block a row.  Reads the logits once (again from the cache) and writes their gradients:
 * the least possible.
 */
#include "train/device/cuda/softmax_row.cuh"

namespace
{

struct targets {
    double conf, low, norm;
};

__global__ void __launch_bounds__(DEV_CUDA_BLOCK)
    class_xent(struct dev_class_xent a, struct targets t)
{
    DEV_SHARED(float, parts, [DEV_CUDA_WARP]);
    int64_t row = blockIdx.x;
    const float *s = a.logits + row * a.V;
    int64_t label = a.labels[row], other = a.other_labels ? a.other_labels[row] : label;
    float weight = a.other_labels ? a.weights[row] : 1.0f;
    struct softmax_row r = softmax_of(s, a.V, label, parts);
    float scale;

    if (threadIdx.x == 0) {
        double own = (double) weight;

        put_row_stats(a.row_stats + 4 * row, r,
                      own * (double) s[label] + (1.0 - own) * (double) s[other], a.V, t.conf, t.low,
                      t.norm);
    }
    if (!a.dlogits)
        return;
    scale = a.beside > 0.0f ? a.beside * a.step->loss_scale / (float) a.step->all_rows
                            : a.step->grad_scale;
    for (int64_t v = threadIdx.x; v < a.V; v += blockDim.x) {
        float chosen = (v == label ? weight : 0.0f) + (v == other ? 1.0f - weight : 0.0f);
        float want = (float) t.low + (float) (t.conf - t.low) * chosen;

        put(&a.dlogits[row * a.V + v], (expf(s[v] - r.largest) * r.inverse - want) * scale,
            a.accumulate);
    }
}

} /* namespace */

extern "C" void dev_cuda_class_xent(struct dev *d, const struct dev_class_xent *a)
{
    double smoothing = (double) a->smoothing, V = (double) a->V;
    struct targets t;

    t.low = a->uniform ? smoothing / V : smoothing / (V - 1.0);
    t.conf = a->uniform ? 1.0 - smoothing + t.low : 1.0 - smoothing;
    t.norm = a->uniform ? 0.0 : -(t.conf * log(t.conf) + (V - 1.0) * t.low * log(t.low + 1e-20));
    if (a->N > 0)
        LAUNCH(d, "class_xent", class_xent, (unsigned) a->N, DEV_CUDA_BLOCK, 0, *a, t);
}
