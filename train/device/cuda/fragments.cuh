/*
 * train/device/cuda/fragments.cuh - products of bfloat16 by the tensor cores: what a warp holds of
 * small matrices, and how it is loaded from shared memory.
 *
 * Lane l of a warp holds, with g = l / 4 and t = l % 4 (the layout of mma.m16n8k16):
 *   of a left factor (16,16)    [0] row g, [1] row g + 8, columns 2t and 2t + 1; [2], [3] the same
 *                               rows, columns 2t + 8 and 2t + 9
 *   of a right factor (16,8)    [0] rows 2t and 2t + 1 of column g, [1] rows 2t + 8 and 2t + 9
 *   of sums (16,8)              [0], [1] row g, columns 2t and 2t + 1; [2], [3] of row g + 8
 * So sums are a left factor of the next product when they are rounded where they are.  On the
 * emulated device cuda_runtime.h brings the two instructions.
 */
#ifndef DEV_CUDA_FRAGMENTS_CUH
#define DEV_CUDA_FRAGMENTS_CUH

#include "train/device/cuda/launch.cuh"

#ifndef DEV_CUDA_MULTIPLY_FRAGMENTS
/* sum (16,8) += a (16,16) b (16,8), sums in float32 */
static __device__ __forceinline__ void multiply_fragments(float (&sum)[4], const unsigned (&a)[4],
                                                          unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* Four matrices (8,8) of shared memory: lane l gives the address of row l % 8 of matrix l / 8, 16
 * bytes that begin at a multiple of 16.  to[m]: columns 2t and 2t + 1 of row g of matrix m. */
static __device__ __forceinline__ void load_matrices(unsigned (&to)[4], const uint16_t *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned) __cvta_generic_to_shared(row))
                 : "memory");
}

/* The same; to[m]: rows 2t and 2t + 1 of column g. */
static __device__ __forceinline__ void load_turned(unsigned (&to)[4], const uint16_t *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned) __cvta_generic_to_shared(row))
                 : "memory");
}
#endif

/* low in the lower half */
static __device__ __forceinline__ unsigned two_halves(float low, float high)
{
    return (unsigned) dev_bfloat16(low) | (unsigned) dev_bfloat16(high) << 16;
}

/* Of sums of two neighbours (16,8) the left factor (16,16) of the next product. */
static __device__ __forceinline__ void as_factor(const float (&left)[4], const float (&right)[4],
                                                 unsigned (&a)[4])
{
    a[0] = two_halves(left[0], left[1]);
    a[1] = two_halves(left[2], left[3]);
    a[2] = two_halves(right[0], right[1]);
    a[3] = two_halves(right[2], right[3]);
}

/*
 * A tile of rows of D numbers in shared memory, as pieces of eight.  One piece more in each row
 * puts the rows that a load touches at once into different banks.
 */
template <int D> struct fragment_tile {
    enum { PIECES = D / 8 + 1, STEPS = D / 16 };
    uint4 *pieces; /* (rows, PIECES) */

    __device__ const uint16_t *row(int row, int column) const
    {
        return (const uint16_t *) (pieces + row * PIECES + column / 8);
    }

    /* The left factor of rows first .. first+15, columns 16 step .. 16 step + 15. */
    __device__ void left(int first, int step, unsigned (&a)[4]) const
    {
        int lane = (int) threadIdx.x % DEV_CUDA_WARP, matrix = lane / 8;

        load_matrices(a, row(first + lane % 8 + matrix % 2 * 8, step * 16 + matrix / 2 * 8));
    }

    /* Right factors whose columns are rows of the tile: [0], [1] of first .. first+7, [2], [3] of
     * first+8 .. first+15; their rows are columns 16 step .. 16 step + 15. */
    __device__ void columns(int first, int step, unsigned (&b)[4]) const
    {
        int lane = (int) threadIdx.x % DEV_CUDA_WARP, matrix = lane / 8;

        load_matrices(b, row(first + lane % 8 + matrix / 2 * 8, step * 16 + matrix % 2 * 8));
    }

    /* Right factors as the tile lies: rows first .. first+15, columns 16 step .. 16 step + 7 in
     * [0], [1], and the eight behind them in [2], [3]. */
    __device__ void rows(int first, int step, unsigned (&b)[4]) const
    {
        int lane = (int) threadIdx.x % DEV_CUDA_WARP, matrix = lane / 8;

        load_turned(b, row(first + lane % 8 + matrix % 2 * 8, step * 16 + matrix / 2 * 8));
    }
};

/* sum (16, 8 N) [+]= left (16,D) of fragments times the tile's rows first .. first + 8 N - 1,
 * turned. */
template <int D, int N>
static __device__ __forceinline__ void multiply_columns(float (&sum)[N][4],
                                                        const unsigned (&left)[D / 16][4],
                                                        const struct fragment_tile<D> &tile)
{
    DEV_UNROLL
    for (int n = 0; n < N; n++)
        sum[n][0] = sum[n][1] = sum[n][2] = sum[n][3] = 0.0f;
    DEV_UNROLL
    for (int step = 0; step < D / 16; step++)
        DEV_UNROLL
    for (int n = 0; n < N; n += 2) {
        unsigned b[4];

        tile.columns(8 * n, step, b);
        multiply_fragments(sum[n], left[step], b[0], b[1]);
        multiply_fragments(sum[n + 1], left[step], b[2], b[3]);
    }
}

/* sum (16,D) += x (16, 8 N), rounded, times the tile's 8 N rows. */
template <int D, int N>
static __device__ __forceinline__ void multiply_rows(float (&sum)[D / 8][4], const float (&x)[N][4],
                                                     const struct fragment_tile<D> &tile)
{
    DEV_UNROLL
    for (int n = 0; n < N; n += 2) {
        unsigned a[4];

        as_factor(x[n], x[n + 1], a);
        DEV_UNROLL
        for (int step = 0; step < D / 16; step++) {
            unsigned b[4];

            tile.rows(8 * n, step, b);
            multiply_fragments(sum[2 * step], a, b[0], b[1]);
            multiply_fragments(sum[2 * step + 1], a, b[2], b[3]);
        }
    }
}

#endif
