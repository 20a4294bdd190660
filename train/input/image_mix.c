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

static bool has(struct in_span s, int32_t row)
{
    return row >= s.first && row < s.first + s.n;
}

/* Row i of the batch of all ranks, own or a partner. */
static float *image(const struct in_mix_batch *b, int32_t i)
{
    return has(b->own, i) ? b->images + (size_t) (i - b->own.first) * floats_of(b)
                          : b->partner_images + (size_t) (i - b->partners.first) * floats_of(b);
}

static int32_t label(const struct in_mix_batch *b, int32_t i)
{
    return has(b->own, i) ? b->labels[i - b->own.first] : b->partner_labels[i - b->partners.first];
}

/* Is the pair of row i one of ours? */
static bool concerns(const struct in_mix_batch *b, int32_t i)
{
    return has(b->own, i) || has(b->own, b->n_all - 1 - i);
}

/* weights: (n_all).  Numbers are drawn for all rows, in their order, whosever they are. */
static void mixup(double alpha, struct t2_rng *r, const struct in_mix_batch *b, float *weights)
{
    for (int32_t i = 0; i < b->n_all; i++)
        weights[i] = aug_draw_lambda(r, alpha);
    for (int32_t i = 0; i < b->n_all / 2; i++)
        if (concerns(b, i))
            aug_mixup(image(b, i), image(b, b->n_all - 1 - i), weights[i],
                      weights[b->n_all - 1 - i], floats_of(b));
}

static struct aug_floats view(const struct in_mix_batch *b, float *pixels)
{
    return aug_floats_of(pixels, AUG_NHWC, b->size, b->size, b->channels);
}

static void cutmix(double alpha, struct t2_rng *r, const struct in_mix_batch *b, float *weights)
{
    struct aug_window *windows = t2_alloc((size_t) b->n_all, sizeof *windows); /* (n_all) */
    float *before = t2_alloc(floats_of(b), sizeof *before);                    /* one image */

    for (int32_t i = 0; i < b->n_all; i++) {
        weights[i] = aug_draw_lambda(r, alpha);
        windows[i] = aug_draw_cutmix(r, b->size, b->size, &weights[i]);
    }
    for (int32_t i = 0; i < b->n_all / 2; i++) {
        struct aug_floats one, two, old;

        if (!concerns(b, i))
            continue;
        one = view(b, image(b, i));
        two = view(b, image(b, b->n_all - 1 - i));
        old = view(b, before);
        memcpy(before, one.data, floats_of(b) * sizeof *before);
        aug_cutmix(&one, &two, windows[i]);
        aug_cutmix(&two, &old, windows[b->n_all - 1 - i]);
    }
    t2_free(before);
    t2_free(windows);
}

struct in_span in_mix_partners(int32_t n_all, struct in_span own)
{
    int32_t first = n_all - own.first - own.n, end = n_all - own.first; /* of all partners */

    if (first < own.first) /* those at the end of the partners may be own rows */
        end = end < own.first ? end : own.first;
    else
        first = first > own.first + own.n ? first : own.first + own.n;
    return (struct in_span){.first = first, .n = end > first ? end - first : 0};
}

static bool draw_mixed(const struct in_mix *mix, const struct in_mix_name *name, struct t2_rng *r)
{
    t2_rng_init(r, name->seed, T2_RNG_MIX, name->epoch, name->index);
    return t2_rng_uniform_double(r) < mix->prob;
}

bool in_mix_happens(const struct in_mix *mix, const struct in_mix_name *name)
{
    struct t2_rng r;

    return draw_mixed(mix, name, &r);
}

void in_mix_images(const struct in_mix *mix, const struct in_mix_name *name,
                   const struct in_mix_batch *b)
{
    bool both = mix->mixup_alpha > 0.0 && mix->cutmix_alpha > 0.0, mixed, cut;
    float *weights = t2_alloc((size_t) b->n_all, sizeof *weights); /* (n_all) */
    struct t2_rng r;

    mixed = draw_mixed(mix, name, &r);
    cut = t2_rng_uniform_double(&r) < 0.5;
    for (int32_t i = 0; i < b->n_all; i++)
        weights[i] = 1.0f;
    if (mixed && (both ? cut : mix->cutmix_alpha > 0.0))
        cutmix(mix->cutmix_alpha, &r, b, weights);
    else if (mixed)
        mixup(mix->mixup_alpha, &r, b, weights);
    for (int32_t i = 0; i < b->own.n; i++) {
        b->other[i] = label(b, b->n_all - 1 - b->own.first - i);
        b->weights[i] = weights[b->own.first + i];
    }
    t2_free(weights);
}
