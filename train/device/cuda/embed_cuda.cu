/*
 * train/device/cuda/embed_cuda.cu - embedding, and its gradients by sorted segments.
 *
 * Forward reads a row of the table for each position and writes the result: the least possible.
 * Backward: positions are sorted by their row of the table (equal ones in their order), and a block
 * adds the rows of one segment in that order, so no two add to one place and the bits are always
 * the same.  The place of a position in the order is the number of those before it, counted by
 * comparing all with all from shared memory: 6e8 comparisons for 25,000 positions, less time than
 * their rows take to be read.
 */
#include "train/device/cuda/columns.cuh"
#include "train/device/cuda/dropped.cuh"

namespace
{

/* Row of the position table for position at = (b,l); -1 when there is none. */
__device__ int64_t position_row(const struct dev_embed &a, int64_t at)
{
    int64_t b = row_of(at, a.L), p = dev_embed_position(&a, b, at - b * a.L);

    return a.positions && p < a.n_positions ? p : -1;
}

/* The row of the table whose embedding stands at a position; -1: none. */
__device__ int64_t table_row(const struct dev_embed &a, int64_t at)
{
    int64_t b = row_of(at, a.L);

    return dev_embed_row(&a, b, at - b * a.L);
}

struct embed {
    struct dev_embed_args args;
    __device__ void operator()(int64_t i, float factor) const
    {
        const struct dev_embed &a = args.of;
        int64_t at = row_of(i, a.D), c = i - at * a.D, position = position_row(a, at);
        int64_t row = table_row(a, at);
        float value = row >= 0 ? a.table[row * a.D + c] * a.scale : 0.0f;

        if (a.extra)
            value += a.extra[c];
        if (position >= 0)
            value += a.positions[position * a.D + c];
        put(a.type, args.out, i, value * factor, false);
    }
};

/* ---- gradients ---- */

/* What a position's gradient is added to: the row of the table, or that of the positions. */
struct table_key {
    static const bool scaled = true;
    __device__ static int32_t of(const struct dev_embed &a, int64_t at)
    {
        return (int32_t) table_row(a, at);
    }
};

struct position_key {
    static const bool scaled = false;
    __device__ static int32_t of(const struct dev_embed &a, int64_t at)
    {
        return (int32_t) position_row(a, at);
    }
};

/* order[place] = position, ascending by key, then by position; keys likewise. */
template <class Key>
__global__ void __launch_bounds__(DEV_CUDA_BLOCK)
    sort_positions(struct dev_embed a, int64_t n, int32_t *order, int32_t *keys)
{
    DEV_SHARED(int32_t, tile, [DEV_CUDA_BLOCK]);
    int64_t at = (int64_t) blockIdx.x * DEV_CUDA_BLOCK + threadIdx.x;
    int32_t own = at < n ? Key::of(a, at) : 0;
    int place = 0;

    for (int64_t first = 0; first < n; first += DEV_CUDA_BLOCK) {
        int64_t there = first + threadIdx.x;
        int64_t left = n - first < DEV_CUDA_BLOCK ? n - first : (int64_t) DEV_CUDA_BLOCK;

        __syncthreads();
        tile[threadIdx.x] = there < n ? Key::of(a, there) : 0;
        __syncthreads();
        for (int64_t i = 0; i < left; i++)
            place += tile[i] < own || (tile[i] == own && first + i < at) ? 1 : 0;
    }
    if (at < n) {
        order[place] = (int32_t) at;
        keys[place] = own;
    }
}

/* A block for each place of the order; the first of a segment adds all of it. */
template <class Key>
__global__ void __launch_bounds__(128)
    add_segments(struct dev_embed_bwd_args args, int64_t n, const int32_t *order,
                 const int32_t *keys, float *to)
{
    const struct dev_embed &a = args.of;
    int64_t first = blockIdx.x, c = (int64_t) blockIdx.y * 128 + threadIdx.x;
    int32_t key = keys[first];
    float sum;

    if (key < 0 || (first > 0 && keys[first - 1] == key) || c >= a.D)
        return;
    sum = to[key * a.D + c];
    for (int64_t s = first; s < n && keys[s] == key; s++) {
        int64_t i = order[s] * a.D + c;
        float value = get(a.type, args.dout, i) * dev_dropout_factor(&a.dropout, (uint64_t) i);

        sum += Key::scaled ? value * a.scale : value;
    }
    to[key * a.D + c] = sum;
}

struct extra_grad {
    struct dev_embed_bwd_args args;
    __device__ void add(int64_t row, int64_t col, float *sum) const
    {
        int64_t i = row * args.of.D + col;

        sum[0] +=
            get(args.of.type, args.dout, i) * dev_dropout_factor(&args.of.dropout, (uint64_t) i);
    }
    __device__ void finish(int64_t col, const float *sum) const
    {
        put(&args.dextra[col], sum[0], args.accumulate_extra);
    }
};

/* to (rows,D) [+]= the positions' gradients. */
template <class Key>
void scatter(struct dev *d, const struct dev_embed_bwd_args *a, float *to, int64_t rows,
             bool accumulate)
{
    int64_t n = a->of.B * a->of.L;
    int32_t *order = (int32_t *) dev_cuda_workspace(d, (size_t) n * 2 * sizeof *order);

    if (!accumulate)
        d->zero(d, to, (size_t) (rows * a->of.D) * sizeof *to);
    if (n == 0)
        return;
    LAUNCH(d, "embed_bwd", sort_positions<Key>, (unsigned) div_up(n, DEV_CUDA_BLOCK),
           DEV_CUDA_BLOCK, 0, a->of, n, order, order + n);
    LAUNCH(d, "embed_bwd", add_segments<Key>, dim3((unsigned) n, (unsigned) div_up(a->of.D, 128)),
           128, 0, *a, n, order, order + n, to);
}

} /* namespace */

extern "C" {

void dev_cuda_embed(struct dev *d, const struct dev_embed_args *a)
{
    for_each_dropped(d, "embed", a->of.B * a->of.L * a->of.D, &a->of.dropout, embed{*a});
}

void dev_cuda_embed_bwd(struct dev *d, const struct dev_embed_bwd_args *a)
{
    int64_t rows = a->of.B * a->of.L;

    if (a->dtable)
        scatter<table_key>(d, a, a->dtable, a->V, a->accumulate_table);
    if (a->dextra)
        for_columns<1>(d, "embed_bwd", rows, a->of.D,
                       (float *) dev_cuda_workspace(d, (size_t) columns_scratch(rows, a->of.D, 1) *
                                                           sizeof(float)),
                       extra_grad{*a});
    if (a->dpositions)
        scatter<position_key>(d, a, a->dpositions, a->of.n_positions, a->accumulate_positions);
}

} /* extern "C" */
