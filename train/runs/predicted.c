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
    start(p, batch->all_rows, batch->targets_length);
}

enum t2_status tr_predicted_take(struct tr_predicted *p, struct mdl *model,
                                 const struct mdl_batch *part, struct t2_err *err)
{
    size_t at = (size_t) part->first_row * (size_t) p->length;

    T2_ASSERT(part->targets_length == p->length && part->first_row + part->batch <= p->rows);
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
