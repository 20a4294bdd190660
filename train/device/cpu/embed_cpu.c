/*
 * train/device/cpu/embed_cpu.c - embedding look-up with everything added to it, and its gradient.
 *
 * Forward (struct dev_embed), a sequence of (L,D) per piece of work: gather, scale, add, drop.  The
 * gradient of the table scatters rows of dout to rows that may repeat.  Cutting by rows would need
 * atomic additions, whose order changes; so a piece owns SLICE columns of all rows and walks
 * through all ids.  Ids are read D / SLICE times, which is little beside the values.  Every sum is
 * taken in the order of the rows, whatever the number of threads.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/step.h"

enum {
    GROUP = 128, /* a dropout group */
    SLICE = 64   /* columns that one piece of the backward pass owns */
};

struct embed {
    const struct dev_embed *a;
    void *out;
    const void *dout;
    float *dtable, *dextra, *dpositions;
};

/* The row (D) that is added to (b,l); NULL when the table has none for that position. */
static const float *position_row(const struct dev_embed *a, int64_t b, int64_t l)
{
    int64_t p = dev_embed_position(a, b, l);

    return a->positions && p < a->n_positions ? a->positions + p * a->D : NULL;
}

/* Multiplies n values that begin at element `at` of the embedding by their factors. */
static void apply_dropout(const struct dev_dropout *dropout, float *x, int64_t n, int64_t at)
{
    float factor[GROUP];

    at += (int64_t) dev_dropout_first(dropout);
    for (int64_t i = 0; i < n;) {
        int64_t begin = (at + i) % GROUP, count = GROUP - begin < n - i ? GROUP - begin : n - i;

        dropout_group(dropout, (uint64_t) ((at + i) / GROUP), factor);
        for (int64_t j = 0; j < count; j++)
            x[i + j] *= factor[begin + j];
        i += count;
    }
}

/* out (n) = columns c .. c + n - 1 of the embedding at (b,l), with what is added. */
static void embed_part(const struct dev_embed *a, int64_t b, int64_t l, int64_t c, int64_t n,
                       float *out)
{
    const float *position = position_row(a, b, l);
    int64_t row = dev_embed_row(a, b, l);

    if (row >= 0)
        for (int64_t k = 0; k < n; k++)
            out[k] = a->table[row * a->D + c + k] * a->scale;
    else
        memset(out, 0, (size_t) n * sizeof *out);
    if (a->extra)
        for (int64_t k = 0; k < n; k++)
            out[k] += a->extra[c + k];
    if (position)
        for (int64_t k = 0; k < n; k++)
            out[k] += position[c + k];
}

static void forward_sequence(void *arg, int64_t b, int worker)
{
    const struct embed *e = arg;
    const struct dev_embed *a = e->a;
    float *floats = a->type == DEV_FLOAT32 ? (float *) e->out + b * a->L * a->D : NULL;
    float buffer[DEV_CPU_BLOCK];

    (void) worker;
    for (int64_t l = 0; l < a->L; l++)
        for (int64_t c = 0, n; c < a->D; c += n) {
            int64_t at = (b * a->L + l) * a->D + c;

            n = dev_cpu_block(a->type, c, a->D);
            if (floats) {
                embed_part(a, b, l, c, n, floats + l * a->D + c);
                continue;
            }
            embed_part(a, b, l, c, n, buffer);
            if (a->dropout.threshold)
                apply_dropout(&a->dropout, buffer, n, at);
            DEV_CPU(dev_cpu_narrow)(a->type, buffer, n, e->out, at);
        }
    if (floats && a->dropout.threshold) /* at once, as rows share groups of the mask */
        apply_dropout(&a->dropout, floats, a->L * a->D, b * a->L * a->D);
}

void DEV_CPU(dev_cpu_embed)(struct dev *d, const struct dev_embed_args *args)
{
    const struct dev_embed *a = &args->of;
    struct embed e = {.a = a, .out = args->out};

    dev_cpu_run(d, a->B, forward_sequence, &e);
}

/* Columns [begin, end) of all rows in order; `value` is one row's dout times its factors of
 * dropout. SLICE divides a group of the mask, so a row's slice needs one or two groups, and the
 * last one drawn is kept for the next row. */
static void backward_slice(void *arg, int64_t piece, int worker)
{
    const struct embed *e = arg;
    const struct dev_embed *a = e->a;
    int64_t D = a->D, begin = piece * SLICE, end = begin + SLICE < D ? begin + SLICE : D;
    float value[SLICE], factor[GROUP];
    int64_t first = a->dropout.threshold ? (int64_t) dev_dropout_first(&a->dropout) : 0;
    int64_t group = -1;

    (void) worker;
    for (int64_t b = 0; b < a->B; b++)
        for (int64_t l = 0; l < a->L; l++) {
            int64_t element = (b * a->L + l) * D + begin, n = end - begin, at = first + element;
            const float *position = position_row(a, b, l);
            int64_t row = dev_embed_row(a, b, l);

            DEV_CPU(dev_cpu_widen)(a->type, e->dout, element, n, value);
            for (int64_t i = 0; a->dropout.threshold && i < n;) {
                int64_t in_group = (at + i) % GROUP,
                        count = GROUP - in_group < n - i ? GROUP - in_group : n - i;

                if ((at + i) / GROUP != group) {
                    group = (at + i) / GROUP;
                    dropout_group(&a->dropout, (uint64_t) group, factor);
                }
                for (int64_t j = 0; j < count; j++)
                    value[i + j] *= factor[in_group + j];
                i += count;
            }
            if (e->dextra)
                for (int64_t c = 0; c < n; c++)
                    e->dextra[begin + c] += value[c];
            if (e->dpositions && position)
                for (int64_t c = 0; c < n; c++)
                    e->dpositions[(position - a->positions) + begin + c] += value[c];
            if (e->dtable && row >= 0)
                for (int64_t c = 0; c < n; c++)
                    e->dtable[row * D + begin + c] += value[c] * a->scale;
        }
}

void DEV_CPU(dev_cpu_embed_bwd)(struct dev *d, const struct dev_embed_bwd_args *args)
{
    const struct dev_embed *a = &args->of;
    struct embed e = {.a = a,
                      .dout = args->dout,
                      .dtable = args->dtable,
                      .dextra = args->dextra,
                      .dpositions = args->dpositions};

    if (args->dtable && !args->accumulate_table)
        memset(args->dtable, 0, (size_t) (args->V * a->D) * sizeof *args->dtable);
    if (args->dextra && !args->accumulate_extra)
        memset(args->dextra, 0, (size_t) a->D * sizeof *args->dextra);
    if (args->dpositions && !args->accumulate_positions)
        memset(args->dpositions, 0, (size_t) (a->n_positions * a->D) * sizeof *args->dpositions);
    dev_cpu_run(d, dev_cpu_div_up(a->D, SLICE), backward_slice, &e);
}
