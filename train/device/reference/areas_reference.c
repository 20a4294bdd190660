/*
 * train/device/reference/areas_reference.c - areas of a grid of positions, in plain loops.
 */
#include <math.h>

#include "train/device/area_grid.h"
#include "train/device/reference/reference_kernels.h"

/* Element c of the n values of an area. */
static double value_of(const struct dev_areas *of, enum dev_type type, const void *x,
                       const struct dev_area *a, int64_t c, enum dev_area_kind kind)
{
    double sum = 0.0, largest = -HUGE_VAL, squares = 0.0, n = (double) (a->h * a->w), mean;

    for (int64_t i = 0; i < a->h; i++)
        for (int64_t j = 0; j < a->w; j++) {
            double value = (double) dev_get(type, x, dev_area_row(of, a, i, j) * of->D + c);

            sum += value;
            largest = value > largest || isnan(value) ? value : largest;
        }
    if (kind == DEV_AREA_SUM)
        return sum;
    if (kind == DEV_AREA_MAX)
        return largest;
    mean = sum / n;
    if (kind == DEV_AREA_MEAN)
        return mean;
    for (int64_t i = 0; i < a->h; i++)
        for (int64_t j = 0; j < a->w; j++) {
            double value = (double) dev_get(type, x, dev_area_row(of, a, i, j) * of->D + c);

            squares += (value - mean) * (value - mean);
        }
    return sqrt(squares / n + 1e-6);
}

static int64_t n_areas(const struct dev_areas *of)
{
    return of->B * of->height * of->width * dev_areas_of_position(of);
}

void dev_reference_area_values(struct dev *d, const struct dev_area_values_args *k)
{
    (void) d;
    for (int64_t n = 0; n < n_areas(&k->of); n++) {
        struct dev_area a = dev_area_at(&k->of, n);

        for (int64_t c = 0; c < k->of.D; c++)
            dev_put(k->type, k->y, n * k->of.D + c,
                    dev_area_is_there(&a) ? (float) value_of(&k->of, k->type, k->x, &a, c, k->kind)
                                          : 0.0f);
    }
}

/* What the gradient of an area's value is multiplied with for the position in row `row` of x. */
static double factor_of(const struct dev_area_values_bwd_args *k, const struct dev_area *a,
                        int64_t row, int64_t c)
{
    double n = (double) (a->h * a->w), value, at;
    int64_t equal = 0;

    if (k->kind == DEV_AREA_SUM)
        return 1.0;
    if (k->kind == DEV_AREA_MEAN)
        return 1.0 / n;
    at = (double) dev_get(k->type, k->x, row * k->of.D + c);
    value = value_of(&k->of, k->type, k->x, a, c, k->kind);
    if (k->kind == DEV_AREA_DEVIATION)
        return (at - value_of(&k->of, k->type, k->x, a, c, DEV_AREA_MEAN)) / (n * value);
    for (int64_t i = 0; i < a->h; i++)
        for (int64_t j = 0; j < a->w; j++)
            equal += (double) dev_get(k->type, k->x, dev_area_row(&k->of, a, i, j) * k->of.D + c) ==
                     value;
    return at == value ? 1.0 / (double) equal : 0.0;
}

/* Channel c of position `at`: over all areas that have it. */
static double gradient_of(const struct dev_area_values_bwd_args *k, int64_t at, int64_t c)
{
    const struct dev_areas *of = &k->of;
    double sum = 0.0;
    int64_t b = at / (of->height * of->width), first = at % (of->height * of->width);

    for (int64_t last = first; last < of->height * of->width; last++)
        for (int64_t slot = 0; slot < dev_areas_of_position(of); slot++) {
            int64_t number = (b * of->height * of->width + last) * dev_areas_of_position(of) + slot;
            struct dev_area a = dev_area_at(of, number);
            int64_t i = a.y - first / of->width, j = a.x - first % of->width;

            if (dev_area_is_there(&a) && i >= 0 && i < a.h && j >= 0 && j < a.w)
                sum +=
                    (double) dev_get(k->type, k->dy, number * of->D + c) * factor_of(k, &a, at, c);
        }
    return sum;
}

void dev_reference_area_values_bwd(struct dev *d, const struct dev_area_values_bwd_args *k)
{
    (void) d;
    for (int64_t at = 0; at < k->of.B * k->of.height * k->of.width; at++)
        for (int64_t c = 0; c < k->of.D; c++) {
            float sum = (float) gradient_of(k, at, c);
            int64_t i = at * k->of.D + c;

            dev_put(k->type, k->dx, i, k->accumulate ? dev_get(k->type, k->dx, i) + sum : sum);
        }
}

void dev_reference_area_ids(struct dev *d, const struct dev_area_ids_args *k)
{
    (void) d;
    for (int64_t n = 0; n < n_areas(&k->of); n++)
        k->y[n] = dev_area_id(k, n);
}
