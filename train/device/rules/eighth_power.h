/*
 * train/device/rules/eighth_power.h - weights as bfloat16 holds them (hparam weight_dtype;
 * EighthPowerEncoding of tensor2tensor/utils/quantization.py; train/optim/weight_encoding.c).
 *
 * A weight w is stored as e = sign(w) (128 |w|)^8, rounded to one of the two bfloat16 numbers next
 * to it, and read as sign(e) |e|^(1/8) / 128: from 2^-23 to 2^9, eight times as fine as bfloat16
 * itself.  The power is three squares, the root three square roots: every device has the same bits.
 */
#ifndef DEV_RULES_EIGHTH_POWER_H
#define DEV_RULES_EIGHTH_POWER_H

#include <float.h>
#include <math.h>

#include "train/device/optimizer_kernels.h"
#include "train/device/rules/rule.h"
#include "train/device/types.h"

/* Of the two bfloat16 numbers around e > 0 the nearest, or the other when the fraction of the way
 * to it is more than `noise`, from 0 to 1, which is evenly spread over the steps of a run. */
DEV_RULE float dev_bfloat16_by_noise(float e, float noise)
{
    float near = dev_from_bfloat16(dev_bfloat16(e));
    /* 1.005 is less than one and a half steps away from any bfloat16, and more than half a one */
    float other = dev_from_bfloat16(dev_bfloat16(e > near ? near * 1.005F : near * 0.995F));

    return (e - near) / (other - near) > noise ? other : near;
}

/* (128 |w|)^8, before it is rounded. */
DEV_RULE float dev_eighth_power_of(float w)
{
    float e = fabsf(w) * 128.0F;

    e *= e;
    e *= e;
    return e * e;
}

/* The weight that e stands for. */
DEV_RULE float dev_eighth_root_of(float e)
{
    return copysignf(sqrtf(sqrtf(sqrtf(fabsf(e)))) / 128.0F, e);
}

/* What is left of w when it was stored. */
DEV_RULE float dev_eighth_power(float w, float noise)
{
    float e = dev_eighth_power_of(w);

    if (e < FLT_MIN) /* as where numbers that small are 0 */
        return 0.0F;
    return copysignf(dev_eighth_root_of(dev_bfloat16_by_noise(e + 1e-30F, noise)), w);
}

static inline void dev_encode_piece(const struct dev_encode_weights_args *a, int64_t i)
{
    const struct dev_piece *p = &a->pieces[i];
    float *x = a->values + p->offset;
    const float noise = a->step->numbers[DEV_ENCODING_NOISE];
    const int64_t n = a->step->finite ? p->n : 0;

    for (int64_t k = 0; k < n; k++)
        x[k] = dev_eighth_power(x[k], noise);
}

#endif
