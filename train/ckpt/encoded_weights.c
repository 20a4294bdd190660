/*
 * train/ckpt/encoded_weights.c - see the header.
 */
#include "train/ckpt/encoded_weights.h"

#include <string.h>

#include "base/alloc.h"
#include "train/ckpt/tensor_file.h"
#include "train/device/rules/eighth_power.h"

/* (n of 2 bytes) at any address -> (n) */
static float *decode(const void *encoded, size_t n)
{
    float *weights = t2_alloc(n, sizeof *weights);

    for (size_t i = 0; i < n; i++) {
        uint16_t e;

        memcpy(&e, (const char *) encoded + i * sizeof e, sizeof e);
        weights[i] = dev_eighth_root_of(dev_from_bfloat16(e));
    }
    return weights;
}

void ckpt_decode_weights(struct ckpt_file *f)
{
    for (size_t i = 0; i < f->n_tensors; i++) {
        struct ckpt_tensor *t = &f->tensors[i];
        size_t n = t->n_bytes / sizeof(uint16_t), n_bytes = t->n_bytes;
        const void *encoded = t->data;

        if (t->type != CKPT_BF16)
            continue;
        t->data = ckpt_file_keep(f, decode(encoded, n));
        t->type = CKPT_F32;
        t->n_bytes = n * sizeof(float);
        ckpt_forget(f, encoded, n_bytes);
    }
}

void ckpt_encode_weights(const float *weights, size_t n, uint16_t *encoded)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t e = dev_bfloat16(copysignf(dev_eighth_power_of(weights[i]), weights[i]));

        encoded[i] = (e & 0x7f80) == 0 ? 0 : e; /* numbers below FLT_MIN are 0 there */
    }
}
