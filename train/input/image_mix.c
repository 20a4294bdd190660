/*
 * train/input/image_mix.c - mixup and CutMix of batches.
 */
#include "train/input/image_mix.h"

#include <string.h>

#include "augment/mixup.h"
#include "base/alloc.h"

static enum t2_status check(const char *name, double value, double most, struct t2_err *err)
{
    if (value >= 0.0 && value <= most)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE, "hparam %s=%g is not between 0 and %g", name, value, most);
}

enum t2_status in_mix_of(const struct mdl_hparams *hp, struct in_mix *mix, struct t2_err *err)
{
    mix->mixup_alpha = mdl_hp_float(hp, "mixup_alpha");
    mix->cutmix_alpha = mdl_hp_float(hp, "cutmix_alpha");
    mix->prob = mdl_hp_float(hp, "mixup_prob");
    T2_TRY(check("mixup_alpha", mix->mixup_alpha, 1e6, err));
    T2_TRY(check("cutmix_alpha", mix->cutmix_alpha, 1e6, err));
    return check("mixup_prob", mix->prob, 1.0, err);
}

bool in_mix_wanted(const struct in_mix *mix)
{
    return (mix->mixup_alpha > 0.0 || mix->cutmix_alpha > 0.0) && mix->prob > 0.0;
}

static size_t floats_of(const struct in_mix_batch *b)
{
    return (size_t) b->size * (size_t) b->size * (size_t) b->channels;
}

static float *image(const struct in_mix_batch *b, int32_t i)
{
    return b->images + (size_t) i * floats_of(b);
}

static void mixup(double alpha, struct t2_rng *r, const struct in_mix_batch *b)
{
    for (int32_t i = 0; i < b->n; i++)
        b->weights[i] = aug_draw_lambda(r, alpha);
    for (int32_t i = 0; i < b->n / 2; i++)
        aug_mixup(image(b, i), image(b, b->n - 1 - i), b->weights[i], b->weights[b->n - 1 - i],
                  floats_of(b));
}

static struct aug_floats view(const struct in_mix_batch *b, float *pixels)
{
    return aug_floats_of(pixels, AUG_NHWC, b->size, b->size, b->channels);
}

static void cutmix(double alpha, struct t2_rng *r, const struct in_mix_batch *b)
{
    struct aug_window *windows = t2_alloc((size_t) b->n, sizeof *windows);
    float *before = t2_alloc(floats_of(b), sizeof *before);

    for (int32_t i = 0; i < b->n; i++) {
        b->weights[i] = aug_draw_lambda(r, alpha);
        windows[i] = aug_draw_cutmix(r, b->size, b->size, &b->weights[i]);
    }
    for (int32_t i = 0; i < b->n / 2; i++) {
        struct aug_floats one = view(b, image(b, i)), old = view(b, before);
        struct aug_floats two = view(b, image(b, b->n - 1 - i));

        memcpy(before, one.data, floats_of(b) * sizeof *before);
        aug_cutmix(&one, &two, windows[i]);
        aug_cutmix(&two, &old, windows[b->n - 1 - i]);
    }
    t2_free(before);
    t2_free(windows);
}

void in_mix_images(const struct in_mix *mix, uint64_t seed, uint64_t epoch, uint64_t index,
                   const struct in_mix_batch *b)
{
    bool both = mix->mixup_alpha > 0.0 && mix->cutmix_alpha > 0.0, mixed, cut;
    struct t2_rng r;

    t2_rng_init(&r, seed, T2_RNG_MIX, epoch, index);
    mixed = t2_rng_uniform_double(&r) < mix->prob;
    cut = t2_rng_uniform_double(&r) < 0.5;
    for (int32_t i = 0; i < b->n; i++) {
        b->other[i] = b->labels[b->n - 1 - i];
        b->weights[i] = 1.0f;
    }
    if (!mixed)
        return;
    if (both ? cut : mix->cutmix_alpha > 0.0)
        cutmix(mix->cutmix_alpha, &r, b);
    else
        mixup(mix->mixup_alpha, &r, b);
}
