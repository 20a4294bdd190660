/*
 * train/optim/weight_encoding.c - hparam weight_dtype=bfloat16: weights that 16 bits can hold.
 *
 * As in the original (tensor2tensor/utils/quantization.py, utils/adafactor.py) for Adafactor alone:
 * what an update makes of a weight is rounded to a number that its encoding has
 * (device/rules/eighth_power.h), up or down by a noise that all weights of a step share:
 *   noise = frac((step + 1) phi),  phi = (sqrt 5 - 1) / 2
 * The arena and checkpoints hold the decoded float32, which are exactly these numbers.
 */
#include <math.h>
#include <string.h>

#include "train/optim/method.h"

enum t2_status opt_prepare_encoding(struct opt_optimizer *o, const struct mdl_hparams *hp,
                                    struct t2_err *err)
{
    const char *type = mdl_hp_string(hp, "weight_dtype");

    o->encodes_weights = strcmp(type, "bfloat16") == 0;
    if (!o->encodes_weights && strcmp(type, "float32") != 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "hparam 'weight_dtype' '%s' is not supported; use float32, or bfloat16 with "
                       "optimizer Adafactor",
                       type);
    if (o->encodes_weights && strcmp(o->method->name, "adafactor") != 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "hparam 'weight_dtype' 'bfloat16' is for optimizer Adafactor alone, not "
                       "'%s'; use weight_dtype=float32 or optimizer=Adafactor",
                       o->method->name);
    return T2_OK;
}

/* The bits of step + 1 choose multiples of phi, mod 1, whose float32 sum does not lose precision
 * with large steps; in the original's order. */
static float noise_of(int64_t global_step)
{
    const double phi = (sqrt(5.0) - 1.0) / 2.0;
    int64_t step = global_step + 1;
    float sum = 0.0F;

    for (int i = 0; i < 30; i++)
        if (step >> i & 1)
            sum += (float) fmod(ldexp(phi, i), 1.0);
    return fmodf(sum, 1.0F);
}

void opt_set_encoding(const struct opt_optimizer *o, int64_t global_step,
                      struct dev_optimizer_step *s)
{
    if (o->encodes_weights)
        s->numbers[DEV_ENCODING_NOISE] = noise_of(global_step);
}

void opt_encode_weights(const struct opt_optimizer *o)
{
    struct dev *d = o->params->dev;

    if (o->encodes_weights)
        d->kernels->encode_weights(d,
                                   &(struct dev_encode_weights_args){.pieces = o->pieces,
                                                                     .n_pieces = o->n_pieces,
                                                                     .step = o->step,
                                                                     .values = o->params->values});
}
