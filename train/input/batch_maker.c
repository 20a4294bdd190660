/*
 * train/input/batch_maker.c - calls through the table of a maker.
 */
#include "train/input/batch_maker.h"

enum t2_status in_batch_maker_make(struct in_batch_maker *k, const struct in_members *m,
                                   struct in_span rows, struct in_item *item, struct t2_err *err)
{
    T2_TRY(k->kind->make(k->state, m, rows, item, err));
    item->batch.first_row = rows.first;
    item->batch.all_rows = m->n_rows;
    item->samples = m->samples;
    return T2_OK;
}

void in_batch_maker_free(struct in_batch_maker *k)
{
    if (k->kind)
        k->kind->free(k->state);
    *k = (struct in_batch_maker){0};
}
