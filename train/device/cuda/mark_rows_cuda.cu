/*
 * train/device/cuda/mark_rows_cuda.cu - which rows hold something: a thread a row, which ends at
 * the first element that is not 0.
 */
#include "train/device/cuda/launch.cuh"

namespace
{

struct mark_rows {
    struct dev_mark_rows_args a;
    __device__ void operator()(int64_t r) const
    {
        int32_t any = a.n_marked > 0 && r % a.length >= a.length - a.n_marked;

        for (int64_t i = 0; i < a.D && !any; i++)
            any = get(a.type, a.x, r * a.D + i) != 0.0f;
        a.ids[r] = any;
    }
};

} /* namespace */

extern "C" void dev_cuda_mark_rows(struct dev *d, const struct dev_mark_rows_args *a)
{
    for_each(d, "mark_rows", a->rows, mark_rows{*a});
}
