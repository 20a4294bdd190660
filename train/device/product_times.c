/*
 * train/device/product_times.c - how long products of matrices take, by their shape.
 */
#include "train/device/product_times.h"

#include "base/alloc.h"

struct dev_product_times *dev_product_times_start(struct dev *d)
{
    struct dev_product_times *t = t2_alloc(1, sizeof *t);

    T2_ASSERT(d->product_times == NULL);
    t->begin = d->event_new(d);
    t->end = d->event_new(d);
    d->product_times = t;
    return t;
}

void dev_product_times_stop(struct dev *d)
{
    struct dev_product_times *t = d->product_times;

    if (t == NULL)
        return;
    d->event_free(d, t->begin);
    d->event_free(d, t->end);
    d->product_times = NULL;
    t2_free(t);
}

static struct dev_product_time *row_of(struct dev_product_times *t, const struct dev_gemm *a)
{
    struct dev_product_time *last = &t->items[DEV_MAX_PRODUCT_TIMES - 1];

    for (int i = 0; i < t->n; ++i) {
        struct dev_product_time *p = &t->items[i];

        if (p->M == a->M && p->N == a->N && p->K == a->K && p->trans_a == a->trans_a &&
            p->trans_b == a->trans_b)
            return p;
    }
    if (t->n >= DEV_MAX_PRODUCT_TIMES - 1) {
        t->n = DEV_MAX_PRODUCT_TIMES;
        return last;
    }
    t->items[t->n] = (struct dev_product_time){
        .trans_a = a->trans_a, .trans_b = a->trans_b, .M = a->M, .N = a->N, .K = a->K};
    return &t->items[t->n++];
}

void dev_product_begins(struct dev *d)
{
    if (d->product_times != NULL)
        d->event_record(d, d->product_times->begin);
}

void dev_product_ends(struct dev *d, const struct dev_gemm *a)
{
    struct dev_product_times *t = d->product_times;
    struct dev_product_time *p;

    if (t == NULL)
        return;
    d->event_record(d, t->end);
    d->event_wait(d, t->end);
    p = row_of(t, a);
    p->calls++;
    p->seconds += d->event_seconds(d, t->begin, t->end);
    p->multiply_adds += (double) a->M * (double) a->N * (double) a->K;
}
