/*
 * train/runs/predicted.c - see the header.
 */
#include "train/runs/predicted.h"

#include <string.h>

#include "base/alloc.h"

void tr_predicted_release(struct tr_predicted *p)
{
    t2_free(p->ids);
    t2_free(p->labels);
    t2_free(p->inputs);
    *p = (struct tr_predicted){0};
}

static void start(struct tr_predicted *p, int32_t rows, int32_t length)
{
    size_t n = (size_t) rows * (size_t) length;

    p->rows = rows;
    p->length = length;
    if (n <= p->capacity)
        return;
    p->capacity = n;
    p->ids = t2_realloc(p->ids, n, sizeof *p->ids);
    p->labels = t2_realloc(p->labels, n, sizeof *p->labels);
}

void tr_predicted_start(struct tr_predicted *p, const struct mdl_batch *batch)
{
    size_t n = (size_t) batch->all_rows * (size_t) batch->inputs_length;

    start(p, batch->all_rows, batch->n_values > 0 ? batch->n_values : batch->targets_length);
    p->inputs_length = batch->inputs_length;
    if (!p->wants_inputs || n <= p->inputs_capacity)
        return;
    p->inputs_capacity = n;
    p->inputs = t2_realloc(p->inputs, n, sizeof *p->inputs);
}

static enum t2_status take_values(struct tr_predicted *p, struct mdl *model,
                                  const struct mdl_batch *part, size_t at, struct t2_err *err)
{
    size_t n = (size_t) part->batch * (size_t) p->length;
    float *values = t2_alloc(n, sizeof *values);
    enum t2_status st = mdl_predicted_values(model, part, values, err);

    memcpy(p->ids + at, values, n * sizeof *values);
    memcpy(p->labels + at, part->values, n * sizeof *values);
    t2_free(values);
    return st;
}

void tr_predicted_add_values(const struct tr_predicted *p, struct ev_value_sums *sums)
{
    size_t n = (size_t) p->rows * (size_t) p->length;
    float *values = t2_alloc(2 * n, sizeof *values);

    memcpy(values, p->ids, n * sizeof *values);
    memcpy(values + n, p->labels, n * sizeof *values);
    ev_value_sums_add(sums, values, values + n, p->rows, p->length);
    t2_free(values);
}

enum t2_status tr_predicted_take(struct tr_predicted *p, struct mdl *model,
                                 const struct mdl_batch *part, struct t2_err *err)
{
    size_t at = (size_t) part->first_row * (size_t) p->length;

    T2_ASSERT((part->n_values > 0 ? part->n_values : part->targets_length) == p->length);
    if (part->n_values > 0)
        return take_values(p, model, part, at, err);
    T2_ASSERT(part->first_row + part->batch <= p->rows);
    if (p->wants_inputs)
        memcpy(p->inputs + (size_t) part->first_row * (size_t) p->inputs_length, part->inputs,
               (size_t) part->batch * (size_t) p->inputs_length * sizeof *p->inputs);
    memcpy(p->labels + at, part->targets,
           (size_t) part->batch * (size_t) p->length * sizeof *p->labels);
    return mdl_predictions(model, part, p->ids + at, err);
}

void tr_predicted_labels(struct tr_predicted *p, int32_t rows, double n_right)
{
    start(p, rows, 1);
    for (int32_t r = 0; r < rows; r++) {
        p->labels[r] = 1;
        p->ids[r] = (double) r < n_right ? 1 : 2;
    }
}
