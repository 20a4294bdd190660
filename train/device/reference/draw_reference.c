/*
 * train/device/reference/draw_reference.c - random numbers that a step draws for rows and ids.
 */
#include "train/device/draw_bits.h"
#include "train/device/reference/reference_kernels.h"

void dev_reference_draw_keep(struct dev *d, const struct dev_draw_keep_args *a)
{
    const struct dev_step *s = a->step;
    float kept = (float) (1.0 / (1.0 - a->rate));

    (void) d;
    for (int64_t r = 0; r < a->rows; r++) {
        uint64_t row = (uint64_t) (s->first_row + r);

        a->out[r] =
            dev_draw_uniform_double(s, s->branch_key, a->number, row) < a->rate ? 0.0f : kept;
    }
}

static float share_of(const struct dev_draw_share_args *a, int64_t r, uint32_t branch)
{
    const struct dev_step *s = a->step;

    return a->given ? a->given[branch * a->rows + r]
                    : dev_draw_uniform(s, s->branch_key, a->set * a->branches + branch,
                                       (uint64_t) (s->first_row + r));
}

void dev_reference_draw_share(struct dev *d, const struct dev_draw_share_args *a)
{
    (void) d;
    for (int64_t r = 0; r < a->rows; r++) {
        float sum = 0.0f;

        for (uint32_t b = 0; b < a->branches; b++)
            sum += share_of(a, r, b);
        a->out[r] = sum > 0.0f ? share_of(a, r, a->branch) / sum : 1.0f / (float) a->branches;
    }
}

void dev_reference_drop_ids(struct dev *d, const struct dev_drop_ids_args *a)
{
    const struct dev_step *s = a->step;
    uint64_t first = (uint64_t) s->first_row * (uint64_t) a->cols;

    (void) d;
    for (int64_t i = 0; i < a->rows * a->cols; i++)
        if (dev_draw_uniform_double(s, s->symbol_key, a->number, first + (uint64_t) i) >=
            1.0 - a->rate)
            a->ids[i] = 0;
}

void dev_reference_add_normal(struct dev *d, const struct dev_add_normal_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->rows * a->cols; i++) {
        float y = (a->x ? dev_get(a->type, a->x, i) : 0.0f) +
                  dev_get(a->type, a->s, i) * dev_normal_of(a, i);

        dev_put(a->type, a->y, i, a->accumulate ? dev_get(a->type, a->y, i) + y : y);
    }
}
