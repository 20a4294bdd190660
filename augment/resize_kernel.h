/*
 * augment/resize_kernel.h - the inner loops of resizing, once per CPU variant (resize_kernel.c).
 *
 * Sums are taken tap by tap from zero, products and sums rounded apart, so that every variant gives
 * the same bits.
 */
#ifndef AUG_RESIZE_KERNEL_H
#define AUG_RESIZE_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"

enum { AUG_READ_BEHIND = 16 };

struct aug_resize_kernel {
    /* out[i] = sum over k of rows[k][i] * w[k], for i < n. */
    void (*weigh_bytes)(const uint8_t *const *rows, const float *w, int32_t n_taps, size_t n,
                        float *out);
    void (*weigh_floats)(const float *const *rows, const float *w, int32_t n_taps, size_t n,
                         float *out);
    /* out[x * c + j] = sum over k of in[index[x * n_taps + k] * c + j] * w[x * n_taps + k], for x <
     * n, j < c.  In this and the next four, AUG_READ_BEHIND elements behind the last pixel may be
     * read. */
    void (*gather)(const float *in, const int32_t *index, const float *w, int32_t n_taps, int32_t n,
                   int32_t c, float *out);
    /* The same where all taps follow each other: index[x * n_taps + k] == index[x * n_taps] + k. */
    void (*gather_runs)(const float *in, const int32_t *index, const float *w, int32_t n_taps,
                        int32_t n, int32_t c, float *out);
    void (*gather_bytes)(const uint8_t *in, const int32_t *index, const float *w, int32_t n_taps,
                         int32_t n, int32_t c, float *out);
    /* Between the pixels index[2x] and index[2x + 1]: l + (r - l) * w[2x + 1]. */
    void (*lerp)(const float *in, const int32_t *index, const float *w, int32_t n, int32_t c,
                 float *out);
    void (*lerp_bytes)(const uint8_t *in, const int32_t *index, const float *w, int32_t n,
                       int32_t c, float *out);
    /* out[i] = a[i] + (b[i] - a[i]) * t */
    void (*lerp_rows)(const float *a, const float *b, float t, size_t n, float *out);
    /* sum[i] += part[i] * w */
    void (*add_row)(float *sum, const float *part, float w, size_t n);
    /* Pillow's fixed point: out = clamp((2^21 + sum of in * w) >> 22); index[x * n_taps + 1] taps
     * that follow each other from index[x * n_taps] on, the weights of the others are 0; w is read
     * behind, too.  c <= 4; reads behind the end, too. */
    void (*fixed_gather)(const uint8_t *in, const int32_t *index, const int32_t *w, int32_t n_taps,
                         int32_t n, int32_t c, uint8_t *out);
    void (*fixed_weigh)(const uint8_t *const *rows, const int32_t *w, int32_t n_taps, size_t n,
                        uint8_t *out);
};

/* That of t2_cpu_variant. */
const struct aug_resize_kernel *aug_resize_kernel(void);

#define DECLARE(name, cpu) extern const struct aug_resize_kernel aug_resize_kernel_##name;
T2_CPU_EACH(DECLARE)
#undef DECLARE

#endif
