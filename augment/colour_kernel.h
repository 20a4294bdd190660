/*
 * augment/colour_kernel.h - the inner loops on floats, once per CPU variant (colour_kernel.c).
 *
 * Products and sums are rounded apart, so that every variant gives the same bits.
 */
#ifndef AUG_COLOUR_KERNEL_H
#define AUG_COLOUR_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"

/* Constants of c channels are given again and again: a multiple of 1 ... 4 and of every vector. */
enum { AUG_PERIOD = 48 };
static inline void aug_repeat(const float *v, size_t c, float out[AUG_PERIOD])
{
    for (size_t i = 0; i < AUG_PERIOD; i++)
        out[i] = v[i % c];
}

struct aug_colour_kernel {
    /* x[i] = (x[i] - sub[i % AUG_PERIOD]) * mul[i % AUG_PERIOD] */
    void (*normalize)(float *x, size_t n, const float *sub, const float *mul);
    /* x[i] = (x[i] - sub[i % AUG_PERIOD]) / div[i % AUG_PERIOD] */
    void (*divide)(float *x, size_t n, const float *sub, const float *div);
    /* Planes from n pixels of 3 channels, mirrored or not: out[j][i] = x[3 * i + j] */
    void (*planes)(const float *x, size_t n, int mirror, float *const *out);
    /* x[i] = m + (x[i] - m) * factor, m = mean[i % AUG_PERIOD] */
    void (*spread)(float *x, size_t n, const float *mean, float factor);
    /* x[i] += delta */
    void (*shift)(float *x, size_t n, float delta);
    /* a[i] += b[i]; a and b do not overlap. */
    void (*fold)(float *a, const float *b, size_t n);
    /* out[i] = x[i] * scale */
    void (*from_bytes)(const uint8_t *x, size_t n, float scale, float *out);
    /* out[i] = clamp(x[i] * scale, 0, 255), cut */
    void (*to_bytes)(const float *x, size_t n, float scale, uint8_t *out);
};

/* That of t2_cpu_variant. */
const struct aug_colour_kernel *aug_colour_kernel(void);

#define DECLARE(name, cpu) extern const struct aug_colour_kernel aug_colour_kernel_##name;
T2_CPU_EACH(DECLARE)
#undef DECLARE

#endif
