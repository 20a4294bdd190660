/*
 * augment/colour_kernel.h - the inner loops on floats, once per CPU variant (colour_kernel.c).
 *
 * Products and sums are rounded apart, so that every variant gives the same bits.
 */
#ifndef AUG_COLOUR_KERNEL_H
#define AUG_COLOUR_KERNEL_H

#include <stddef.h>
#include <stdint.h>

struct aug_colour_kernel {
    /* x[i] = (x[i] - sub[i % c]) * mul[i % c] */
    void (*normalize)(float *x, size_t n, size_t c, const float *sub, const float *mul);
    /* x[i] = (x[i] - sub[i % c]) / div[i % c] */
    void (*divide)(float *x, size_t n, size_t c, const float *sub, const float *div);
    /* Planes from n pixels of 3 channels, mirrored or not: out[j][i] = x[3 * i + j] */
    void (*planes)(const float *x, size_t n, int mirror, float *const *out);
    /* x[i] = mean[i % c] + (x[i] - mean[i % c]) * factor */
    void (*spread)(float *x, size_t n, size_t c, const float *mean, float factor);
    /* x[i] += delta */
    void (*shift)(float *x, size_t n, float delta);
    /* a[i] += b[i]; a and b do not overlap. */
    void (*fold)(float *a, const float *b, size_t n);
    /* out[i] = clamp(x[i] * scale, 0, 255), cut */
    void (*to_bytes)(const float *x, size_t n, float scale, uint8_t *out);
};

/* That of t2_cpu_variant. */
const struct aug_colour_kernel *aug_colour_kernel(void);

extern const struct aug_colour_kernel aug_colour_kernel_generic;
#ifdef T2_HAVE_CPU_avx2
extern const struct aug_colour_kernel aug_colour_kernel_avx2;
#endif
#ifdef T2_HAVE_CPU_avx512
extern const struct aug_colour_kernel aug_colour_kernel_avx512;
#endif

#endif
