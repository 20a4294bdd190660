/*
 * train/device/cuda/tiles.cuh - products of matrices whose elements are found by functions: plain
 * matrices (product_cuda.cu) and the implicit ones of convolutions (conv2d_cuda.cu).
 *
 * A block makes 64 x 64 values of the result from tiles of 16 along K in shared memory, 4 x 4 a
 * thread.  Each factor is read once per 64 rows or columns of the result.  Sums go along K in its
 * order; with several parts of K (gridDim.y) each part has its own sum, and who adds them says in
 * which order.
 */
#ifndef DEV_CUDA_TILES_CUH
#define DEV_CUDA_TILES_CUH

#include "train/device/cuda/dropped.cuh"

enum { TILE = 64, TILE_K = 16, TILE_THREADS = 256, TILE_PER_THREAD = TILE * TILE_K / TILE_THREADS };

/*
 * A factor is a struct with
 *   static const bool along_k    neighbours in memory are neighbours along K
 *   struct line; line at(i)      what is known of row i of the left, column i of the right factor
 *   float value(line, k)
 */
template <class F> struct tile_reader {
    typename F::line lines[F::along_k ? TILE_PER_THREAD : 1];
    bool there[F::along_k ? TILE_PER_THREAD : 1];

    __device__ void begin(const F &f, int64_t first, int64_t end)
    {
        DEV_UNROLL
        for (int n = 0; n < (F::along_k ? TILE_PER_THREAD : 1); n++) {
            int64_t i = first + (F::along_k ? (int) threadIdx.x / TILE_K + n * TILE_K
                                            : (int) threadIdx.x % TILE);

            there[n] = i < end;
            lines[n] = f.at(there[n] ? i : 0);
        }
    }

    /* tile[k][i] for the TILE_K values of k from `k` on, 0 beyond k_end. */
    __device__ void read(const F &f, int64_t k, int64_t k_end, float (*tile)[TILE + 4]) const
    {
        DEV_UNROLL
        for (int n = 0; n < TILE_PER_THREAD; n++) {
            int i = F::along_k ? (int) threadIdx.x / TILE_K + n * TILE_K : (int) threadIdx.x % TILE;
            int at = F::along_k ? (int) threadIdx.x % TILE_K
                                : (int) threadIdx.x / TILE + n * (TILE_THREADS / TILE);
            int line = F::along_k ? n : 0;

            tile[at][i] = there[line] && k + at < k_end ? f.value(lines[line], k + at) : 0.0f;
        }
    }
};

/* out(row, column, sum, part) for every element. */
template <class A, class B, class Out>
__global__ void __launch_bounds__(TILE_THREADS)
    tiled_product(int64_t M, int64_t N, int64_t K, int64_t part_k, A a, B b, Out out)
{
    DEV_SHARED(float, left, [TILE_K][TILE + 4]);
    DEV_SHARED(float, right, [TILE_K][TILE + 4]);
    int64_t tiles_n = (N + TILE - 1) / TILE;
    int64_t row = (int64_t) blockIdx.x / tiles_n * TILE,
            col = (int64_t) blockIdx.x % tiles_n * TILE;
    int64_t k_first = (int64_t) blockIdx.y * part_k;
    int64_t k_end = k_first + part_k < K ? k_first + part_k : K;
    int y = (int) threadIdx.x / 16 * 4, x = (int) threadIdx.x % 16 * 4;
    tile_reader<A> a_reader;
    tile_reader<B> b_reader;
    float sum[4][4] = {};

    a_reader.begin(a, row, M);
    b_reader.begin(b, col, N);
    for (int64_t k = k_first; k < k_end; k += TILE_K) {
        a_reader.read(a, k, k_end, left);
        b_reader.read(b, k, k_end, right);
        __syncthreads();
        DEV_UNROLL
        for (int at = 0; at < TILE_K; at++)
            DEV_UNROLL
        for (int i = 0; i < 4; i++)
            DEV_UNROLL
        for (int j = 0; j < 4; j++)
            sum[i][j] += left[at][y + i] * right[at][x + j];
        __syncthreads();
    }
    DEV_UNROLL
    for (int i = 0; i < 4; i++)
        DEV_UNROLL
    for (int j = 0; j < 4; j++)
        if (row + y + i < M && col + x + j < N)
            out(row + y + i, col + x + j, sum[i][j], (int) blockIdx.y);
}

template <class A, class B, class Out>
static void multiply(struct dev *d, const char *name, int64_t M, int64_t N, int64_t K,
                     int64_t parts, A a, B b, Out out)
{
    int64_t tiles = div_up(M, TILE) * div_up(N, TILE);
    int64_t part_k = div_up(div_up(K, TILE_K), parts) * TILE_K;

    if (tiles > 0)
        LAUNCH(d, name, (tiled_product<A, B, Out>), dim3((unsigned) tiles, (unsigned) parts),
               TILE_THREADS, 0, M, N, K, part_k, a, b, out);
}

/* Element i of a factor as a device of this precision multiplies it. */
static __device__ __forceinline__ float factor(enum dev_type type, const void *p, int64_t i,
                                               enum dev_type precision)
{
    return dev_round(precision, get(type, p, i));
}

#endif
