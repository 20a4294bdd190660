/*
 * train/models/positions.c - see the header.
 */
#include "train/models/positions.h"

#include <math.h>

#include "base/alloc.h"

enum { FEWEST = 256 };

void mdl_positions_init(struct mdl_positions *p, struct dev *dev, const struct mdl_timing *timing)
{
    T2_ASSERT(2 * timing->timescales <= timing->depth);
    *p = (struct mdl_positions){.dev = dev, .timing = *timing};
}

void mdl_positions_release(struct mdl_positions *p)
{
    for (int i = 0; i < p->n_tables; i++)
        p->dev->free(p->dev, p->tables[i].timing);
    p->n_tables = 0;
}

static uint64_t bytes_of(const struct mdl_positions *p, int64_t rows)
{
    return (uint64_t) rows * (uint64_t) p->timing.depth * sizeof(float);
}

static int64_t rounded(int64_t n)
{
    int64_t rows = FEWEST;

    while (rows < n)
        rows *= 2;
    return rows;
}

/* The smallest that is there and long enough; else one of that size that is planned; or NULL. */
static const struct mdl_tables *find(const struct mdl_positions *p, int64_t n)
{
    const struct mdl_tables *found = NULL, *planned = NULL;

    for (int i = 0; i < p->n_tables; i++) {
        const struct mdl_tables *t = &p->tables[i];

        if (t->timing && t->n_positions >= n && (!found || t->n_positions < found->n_positions))
            found = t;
        if (t->n_positions == rounded(n))
            planned = t;
    }
    return found ? found : planned;
}

const struct mdl_tables *mdl_positions_plan(struct mdl_positions *p, int64_t n)
{
    static const struct mdl_tables none;
    const struct mdl_tables *t = n > 0 ? find(p, n) : &none;

    if (t)
        return t;
    T2_ASSERT(p->n_tables < MDL_MAX_TABLES);
    p->tables[p->n_tables].n_positions = rounded(n);
    return &p->tables[p->n_tables++];
}

/* n sines, then n cosines, of at / 10000^(i / (n - 1)). */
static void fill_signal(int64_t at, int64_t n, float *to)
{
    double increment = log(10000.0) / (double) (n > 1 ? n - 1 : 1);

    for (int64_t i = 0; i < n; i++) {
        double angle = (double) at * exp(-(double) i * increment);

        to[i] = (float) sin(angle);
        to[n + i] = (float) cos(angle);
    }
}

/* (rows, D), spec §3.3, §6.1 (common_attention.get_timing_signal_1d, add_timing_signal_nd;
 * common_layers.get_timing_signal with `timescales`): D / 2 sines and as many cosines of the
 * position; of a grid, D / 4 of each of the row, then of the column.  What is left over of D is
 * zero. */
static void fill(const struct mdl_positions *p, const struct mdl_tables *t)
{
    int64_t D = p->timing.depth, columns = p->timing.columns, n = columns > 0 ? D / 4 : D / 2;
    float *row = t2_alloc((size_t) D, sizeof *row);

    if (p->timing.timescales > 0)
        n = p->timing.timescales;
    for (int64_t at = 0; at < t->n_positions; at++) {
        fill_signal(columns > 0 ? at / columns : at, n, row);
        if (columns > 0)
            fill_signal(at % columns, n, row + 2 * n);
        p->dev->upload_now(p->dev, t->timing + at * D, row, (size_t) D * sizeof *row);
    }
    t2_free(row);
}

enum t2_status mdl_positions_make(struct mdl_positions *p, const struct mdl_tables *planned,
                                  struct t2_err *err)
{
    struct mdl_tables *t;

    if (planned->timing || planned->n_positions == 0)
        return T2_OK;
    t = &p->tables[planned - p->tables];
    t->timing = p->dev->alloc(p->dev, bytes_of(p, t->n_positions));
    if (!t->timing)
        return dev_fail_memory(p->dev, bytes_of(p, t->n_positions), "a table of positions", NULL,
                               err);
    fill(p, t);
    return T2_OK;
}

uint64_t mdl_positions_bytes(const struct mdl_positions *p, int64_t n)
{
    const struct mdl_tables *t = find(p, n);
    uint64_t bytes = n > 0 && (!t || !t->timing) ? bytes_of(p, rounded(n)) : 0;

    for (int i = 0; i < p->n_tables; i++)
        bytes += p->tables[i].timing ? bytes_of(p, p->tables[i].n_positions) : 0;
    return bytes;
}
