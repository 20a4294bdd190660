/*
 * train/input/batch_order.c - calls through the table of an order.
 */
#include "train/input/batch_order.h"

enum t2_status in_batch_order_next(struct in_batch_order *o, struct in_members *m)
{
    in_members_clear(m);
    return o->kind->next(o->state, m);
}

enum t2_status in_batch_order_seek(struct in_batch_order *o, uint64_t samples, struct t2_err *err)
{
    return o->kind->seek(o->state, samples, err);
}

double in_batch_order_per_epoch(const struct in_batch_order *o)
{
    return o->kind->batches_per_epoch(o->state);
}

uint64_t in_batch_order_bytes(const struct in_batch_order *o)
{
    return o->kind->memory_bytes ? o->kind->memory_bytes(o->state) : 0;
}

void in_batch_order_free(struct in_batch_order *o)
{
    if (o->kind)
        o->kind->free(o->state);
    *o = (struct in_batch_order){0};
}
