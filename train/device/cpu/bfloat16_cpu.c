/*
 * train/device/cpu/bfloat16_cpu.c - matrices rounded to bfloat16 before they are multiplied, a row
 * per piece of work.
 *
 * This pass reads 4 bytes and writes 2 (or 4) per number and is little beside a gemm, which uses
 * each number hundreds of times.
 */
#include "train/device/bfloat16.h"
#include "train/device/cpu/cpu_kernels.h"

struct job {
    const float *from;
    int64_t cols, stride; /* stride of from; the copy has none */
    uint16_t *halves;     /* one of the two */
    float *floats;
};

/* dev_bfloat16 (bfloat16.h) of 16 numbers, each in the upper half of its lane: to nearest, ties to
 * even; NaN becomes a quiet NaN, as rounding up could carry it into infinity. */
DEV_INLINE vu rounded(vf x)
{
    vu bits = (vu) x, quiet = bits | 0x00400000u;
    vi nan = (vi) ((bits & 0x7fffffffu) > 0x7f800000u);
    vu near = bits + 0x7fffu + (bits >> 16 & 1u);

    return (((vu) nan & quiet) | (~(vu) nan & near)) & 0xffff0000u;
}

static void convert_row(void *arg, int64_t row, int worker)
{
    const struct job *j = arg;
    const float *from = j->from + row * j->stride;
    int64_t c = 0;

    (void) worker;
    if (j->floats) {
        float *to = j->floats + row * j->cols;

        for (; c + DEV_LANES <= j->cols; c += DEV_LANES)
            vf_store(to + c, (vf) rounded(vf_load(from + c)));
        for (; c < j->cols; c++)
            to[c] = dev_from_bfloat16(dev_bfloat16(from[c]));
    } else {
        typedef uint16_t vh __attribute__((vector_size(32)));
        uint16_t *to = j->halves + row * j->cols;

        for (; c + DEV_LANES <= j->cols; c += DEV_LANES) {
            vh h = __builtin_convertvector(rounded(vf_load(from + c)) >> 16, vh);

            memcpy(to + c, &h, sizeof h);
        }
        for (; c < j->cols; c++)
            to[c] = dev_bfloat16(from[c]);
    }
}

void DEV_CPU(dev_cpu_to_halves)(struct dev *d, const float *from, int64_t rows, int64_t cols,
                                int64_t stride, uint16_t *to)
{
    struct job j = {.from = from, .cols = cols, .stride = stride, .halves = to};

    dev_cpu_run(d, rows, convert_row, &j);
}

void DEV_CPU(dev_cpu_to_rounded)(struct dev *d, const float *from, int64_t rows, int64_t cols,
                                 int64_t stride, float *to)
{
    struct job j = {.from = from, .cols = cols, .stride = stride, .floats = to};

    dev_cpu_run(d, rows, convert_row, &j);
}
