/*
 * train/device/cuda/columns.cuh - sums over the rows of a matrix, for each column.
 *
 * Rows are cut into chunks by their number alone.  A block adds a chunk of 32 columns: each of its
 * 8 warps every eighth row, then the 8 sums in order; a second kernel adds the chunks in order.  So
 * the bits depend on the shape only.  A value is read once; the sums of the chunks, written and
 * read once more, are at most 1/64 of that.
 */
#ifndef DEV_CUDA_COLUMNS_CUH
#define DEV_CUDA_COLUMNS_CUH

#include "train/device/cuda/launch.cuh"

enum { COLUMNS_ROWS = 8 };
static const int64_t COLUMNS_LEAST = 64, COLUMNS_CHUNKS = 256;

static inline int64_t columns_chunk(int64_t rows)
{
    int64_t least = div_up(rows, COLUMNS_CHUNKS);

    return least < COLUMNS_LEAST ? COLUMNS_LEAST : least;
}

/* Floats of scratch memory for V sums a column. */
static inline int64_t columns_scratch(int64_t rows, int64_t cols, int V)
{
    return div_up(rows, columns_chunk(rows)) * cols * V;
}

/* f.add(row, col, sum) adds what (row, col) gives to sum[0 .. V-1]; partial (chunks, V, cols). */
template <int V, class F>
__global__ void __launch_bounds__(DEV_CUDA_WARP *COLUMNS_ROWS)
    columns_partial(int64_t rows, int64_t cols, int64_t chunk, F f, float *partial)
{
    DEV_SHARED(float, parts, [V][COLUMNS_ROWS][DEV_CUDA_WARP]);
    int x = (int) threadIdx.x, y = (int) threadIdx.y;
    int64_t col = (int64_t) blockIdx.x * DEV_CUDA_WARP + x, begin = (int64_t) blockIdx.y * chunk;
    int64_t end = begin + chunk < rows ? begin + chunk : rows;
    float sum[V];

    for (int v = 0; v < V; v++)
        sum[v] = 0.0f;
    if (col < cols)
        for (int64_t row = begin + y; row < end; row += COLUMNS_ROWS)
            f.add(row, col, sum);
    for (int v = 0; v < V; v++)
        parts[v][y][x] = sum[v];
    __syncthreads();
    if (y >= V || col >= cols)
        return;
    for (int i = 1; i < COLUMNS_ROWS; i++)
        parts[y][0][x] += parts[y][i][x];
    partial[((int64_t) blockIdx.y * V + y) * cols + col] = parts[y][0][x];
}

/* f.finish(col, sums) with all rows' sums. */
template <int V, class F>
__global__ void __launch_bounds__(DEV_CUDA_BLOCK)
    columns_finish(int64_t chunks, int64_t cols, const float *partial, F f)
{
    int64_t col = (int64_t) blockIdx.x * blockDim.x + threadIdx.x;
    float sum[V];

    if (col >= cols)
        return;
    for (int v = 0; v < V; v++) {
        sum[v] = 0.0f;
        for (int64_t i = 0; i < chunks; i++)
            sum[v] += partial[(i * V + v) * cols + col];
    }
    f.finish(col, sum);
}

template <int V, class F>
static void for_columns(struct dev *d, const char *name, int64_t rows, int64_t cols, float *scratch,
                        F f)
{
    int64_t chunk = columns_chunk(rows), chunks = div_up(rows, chunk);

    if (cols == 0)
        return;
    if (chunks > 0)
        LAUNCH(d, name, (columns_partial<V, F>),
               dim3((unsigned) div_up(cols, DEV_CUDA_WARP), (unsigned) chunks),
               dim3(DEV_CUDA_WARP, COLUMNS_ROWS), 0, rows, cols, chunk, f, scratch);
    LAUNCH(d, name, (columns_finish<V, F>), (unsigned) div_up(cols, DEV_CUDA_BLOCK), DEV_CUDA_BLOCK,
           0, chunks, cols, scratch, f);
}

#endif
