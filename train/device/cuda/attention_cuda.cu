/*
 * train/device/cuda/attention_cuda.cu - attention: which of its three forms.
 */
#include "train/device/cuda/attention_parts.cuh"

extern "C" {

void dev_cuda_attention(struct dev *d, const struct dev_attention_args *args)
{
    if (dev_cuda_attention_on_tensor(&args->of))
        dev_cuda_attention_tensor(d, &args->of);
    else if (dev_cuda_attention_tiled(&args->of))
        dev_cuda_attention_tiles(d, &args->of);
    else
        dev_cuda_attention_rows(d, args);
}

void dev_cuda_attention_bwd(struct dev *d, const struct dev_attention_bwd_args *args)
{
    if (dev_cuda_attention_on_tensor(&args->of))
        dev_cuda_attention_tensor_bwd(d, args);
    else if (dev_cuda_attention_tiled(&args->of))
        dev_cuda_attention_tiles_bwd(d, args);
    else
        dev_cuda_attention_rows_bwd(d, args);
}

int64_t dev_cuda_attention_scratch(const struct dev *d, const struct dev_attention *a,
                                   bool backward)
{
    (void) d;
    if (dev_cuda_attention_on_tensor(a))
        return backward ? dev_cuda_attention_tensor_scratch(a) : 0;
    if (!dev_cuda_attention_tiled(a))
        return dev_cuda_attention_rows_scratch(a, backward);
    return backward ? dev_cuda_attention_tiles_scratch(a) : 0;
}

} /* extern "C" */
