/*
 * train/device/cpu/areas_cpu.c - areas of a grid of positions: a position a job.
 *
 * Forward, the areas of a position that have h rows grow by one column after the other, so each
 * costs h additions whatever its width; the deviation is Welford's, which does not lose what the
 * values have in common.  Backward, a position collects from the areas that have it.  Channels are
 * taken a block at a time, so sums stay in the first-level cache.
 */
#include <math.h>

#include "train/device/area_grid.h"
#include "train/device/cpu/cpu_kernels.h"

enum { BLOCK = 256 };

static bool reads_x(enum dev_area_kind kind)
{
    return kind == DEV_AREA_MAX || kind == DEV_AREA_DEVIATION;
}

static int64_t n_positions(const struct dev_areas *of)
{
    return of->B * of->height * of->width;
}

/* Of the first n values of an area: their sum, largest, or mean and sum of squared differences. */
struct grown {
    float value[BLOCK], squares[BLOCK];
};

static void grow(enum dev_area_kind kind, struct grown *g, const float *x, int64_t k, int64_t n)
{
    float part = 1.0f / (float) n;

    switch (kind) {
    case DEV_AREA_MEAN:
    case DEV_AREA_SUM:
        for (int64_t c = 0; c < k; c++)
            g->value[c] = n == 1 ? x[c] : g->value[c] + x[c];
        break;
    case DEV_AREA_MAX:
        for (int64_t c = 0; c < k; c++)
            g->value[c] = n == 1 || x[c] > g->value[c] || x[c] != x[c] ? x[c] : g->value[c];
        break;
    default:
        for (int64_t c = 0; c < k; c++) {
            float mean = n == 1 ? 0.0f : g->value[c], apart = x[c] - mean;

            mean += apart * part;
            g->squares[c] = n == 1 ? 0.0f : g->squares[c] + apart * (x[c] - mean);
            g->value[c] = mean;
        }
    }
}

static void finish(enum dev_area_kind kind, const struct grown *g, int64_t k, int64_t n, float *y)
{
    float part = 1.0f / (float) n;

    for (int64_t c = 0; c < k; c++)
        if (kind == DEV_AREA_DEVIATION)
            y[c] = sqrtf(g->squares[c] * part + 1e-6f);
        else
            y[c] = kind == DEV_AREA_MEAN ? g->value[c] * part : g->value[c];
}

/* Channels c .. c + k - 1 of the areas of a's height that end at its position. */
static void values_of_height(const struct dev_area_values_args *args, struct dev_area a, int64_t c,
                             int64_t k)
{
    const struct dev_areas *of = &args->of;
    struct grown g;
    float in[BLOCK], out[BLOCK];

    for (a.w = 1; a.w <= of->most_width; a.w++) {
        int64_t at = dev_area_number(of, &a) * of->D + c;
        float *y = dev_cpu_out(args->type, args->y, at, k, false, out);

        if (!dev_area_is_there(&a)) {
            memset(y, 0, (size_t) k * sizeof *y);
        } else {
            for (int64_t i = 0; i < a.h; i++) {
                int64_t from = dev_area_row(of, &a, i, a.w - 1) * of->D + c;

                grow(args->kind, &g, dev_cpu_in(args->type, args->x, from, k, in), k,
                     (a.w - 1) * a.h + i + 1);
            }
            finish(args->kind, &g, k, a.h * a.w, y);
        }
        dev_cpu_done(args->type, y, k, args->y, at);
    }
}

static void values_of_position(void *arg, int64_t job, int worker)
{
    const struct dev_area_values_args *args = arg;
    const struct dev_areas *of = &args->of;
    struct dev_area a = dev_area_at(of, job * dev_areas_of_position(of));

    (void) worker;
    for (int64_t c = 0; c < of->D; c += BLOCK)
        for (a.h = 1; a.h <= of->most_height; a.h++)
            values_of_height(args, a, c, dev_cpu_least(BLOCK, of->D - c));
}

void DEV_CPU(dev_cpu_area_values)(struct dev *d, const struct dev_area_values_args *args)
{
    struct dev_area_values_args a = *args;

    dev_cpu_run(d, n_positions(&a.of), values_of_position, &a);
}

/* value, squares: of an area whole; for max squares is how many are the largest. */
static void whole(const struct dev_area_values_bwd_args *args, const struct dev_area *a, int64_t c,
                  int64_t k, struct grown *g)
{
    const struct dev_areas *of = &args->of;
    float in[BLOCK];

    for (int64_t i = 0; i < a->h; i++)
        for (int64_t j = 0; j < a->w; j++)
            grow(args->kind, g,
                 dev_cpu_in(args->type, args->x, dev_area_row(of, a, i, j) * of->D + c, k, in), k,
                 i * a->w + j + 1);
    if (args->kind != DEV_AREA_MAX)
        return;
    memset(g->squares, 0, sizeof g->squares);
    for (int64_t i = 0; i < a->h; i++)
        for (int64_t j = 0; j < a->w; j++) {
            const float *x =
                dev_cpu_in(args->type, args->x, dev_area_row(of, a, i, j) * of->D + c, k, in);

            for (int64_t m = 0; m < k; m++)
                g->squares[m] += x[m] == g->value[m] ? 1.0f : 0.0f;
        }
}

/* sum += what the gradient dy of an area's value gives its position with values x */
static void collect(const struct dev_area_values_bwd_args *args, const struct dev_area *a,
                    int64_t c, int64_t k, const float *x, float *sum)
{
    float in[BLOCK], part = args->kind == DEV_AREA_MEAN ? 1.0f / (float) (a->h * a->w) : 1.0f;
    const float *dy =
        dev_cpu_in(args->type, args->dy, dev_area_number(&args->of, a) * args->of.D + c, k, in);
    struct grown g;

    if (!reads_x(args->kind)) {
        for (int64_t m = 0; m < k; m++)
            sum[m] += dy[m] * part;
        return;
    }
    whole(args, a, c, k, &g);
    part = 1.0f / (float) (a->h * a->w);
    for (int64_t m = 0; m < k; m++)
        if (args->kind == DEV_AREA_MAX)
            sum[m] += x[m] == g.value[m] ? dy[m] / g.squares[m] : 0.0f;
        else
            sum[m] += dy[m] * part * (x[m] - g.value[m]) / sqrtf(g.squares[m] * part + 1e-6f);
}

/* The areas that have the position of `at`, which has their size and lies in their last row and
 * column. */
static void collect_of_size(const struct dev_area_values_bwd_args *args, const struct dev_area *at,
                            int64_t c, int64_t k, const float *x, float *sum)
{
    for (int64_t i = 0; i < at->h && at->y + i < args->of.height; i++)
        for (int64_t j = 0; j < at->w && at->x + j < args->of.width; j++) {
            struct dev_area a = {at->b, at->y + i, at->x + j, at->h, at->w};

            if (dev_area_is_there(&a))
                collect(args, &a, c, k, x, sum);
        }
}

static void gradient_of_position(void *arg, int64_t job, int worker)
{
    const struct dev_area_values_bwd_args *args = arg;
    const struct dev_areas *of = &args->of;
    struct dev_area a = dev_area_at(of, job * dev_areas_of_position(of));
    float in[BLOCK], own[BLOCK], sum[BLOCK];

    (void) worker;
    for (int64_t c = 0; c < of->D; c += BLOCK) {
        int64_t k = dev_cpu_least(BLOCK, of->D - c), at = job * of->D + c;
        const float *x = reads_x(args->kind) ? dev_cpu_in(args->type, args->x, at, k, in) : NULL;
        float *out = dev_cpu_out(args->type, args->dx, at, k, args->accumulate, own);

        memset(sum, 0, sizeof sum);
        for (a.h = 1; a.h <= of->most_height; a.h++)
            for (a.w = 1; a.w <= of->most_width; a.w++)
                collect_of_size(args, &a, c, k, x, sum);
        for (int64_t m = 0; m < k; m++)
            out[m] = args->accumulate ? out[m] + sum[m] : sum[m];
        dev_cpu_done(args->type, out, k, args->dx, at);
    }
}

void DEV_CPU(dev_cpu_area_values_bwd)(struct dev *d, const struct dev_area_values_bwd_args *args)
{
    struct dev_area_values_bwd_args a = *args;

    dev_cpu_run(d, n_positions(&a.of), gradient_of_position, &a);
}

static void ids_of_position(void *arg, int64_t job, int worker)
{
    const struct dev_area_ids_args *a = arg;
    int64_t each = dev_areas_of_position(&a->of);

    (void) worker;
    for (int64_t i = 0; i < each; i++)
        a->y[job * each + i] = dev_area_id(a, job * each + i);
}

void DEV_CPU(dev_cpu_area_ids)(struct dev *d, const struct dev_area_ids_args *args)
{
    struct dev_area_ids_args a = *args;

    dev_cpu_run(d, n_positions(&a.of), ids_of_position, &a);
}
