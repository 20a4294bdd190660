/*
 * train/device/gemm_times.c - how long gemms take, by their shape.
 */
#include "train/device/gemm_times.h"

#include "base/alloc.h"

struct dev_gemm_times *dev_gemm_times_start(struct dev *d)
{
    struct dev_gemm_times *t = t2_alloc(1, sizeof *t);

    T2_ASSERT(!d->gemm_times);
    t->begin = d->event_new(d);
    t->end = d->event_new(d);
    d->gemm_times = t;
    return t;
}

void dev_gemm_times_stop(struct dev *d)
{
    struct dev_gemm_times *t = d->gemm_times;

    if (!t)
        return;
    d->event_free(d, t->begin);
    d->event_free(d, t->end);
    d->gemm_times = NULL;
    t2_free(t);
}

static struct dev_gemm_time *row_of(struct dev_gemm_times *t, const struct dev_gemm *a)
{
    struct dev_gemm_time *last = &t->items[DEV_MAX_GEMM_TIMES - 1];

    for (int i = 0; i < t->n; i++) {
        struct dev_gemm_time *p = &t->items[i];

        if (p->M == a->M && p->N == a->N && p->K == a->K && p->trans_a == a->trans_a &&
            p->trans_b == a->trans_b)
            return p;
    }
    if (t->n >= DEV_MAX_GEMM_TIMES - 1) {
        t->n = DEV_MAX_GEMM_TIMES;
        return last;
    }
    t->items[t->n] = (struct dev_gemm_time){
        .trans_a = a->trans_a, .trans_b = a->trans_b, .M = a->M, .N = a->N, .K = a->K};
    return &t->items[t->n++];
}

void dev_gemm_begins(struct dev *d)
{
    if (d->gemm_times)
        d->event_record(d, DEV_COMPUTE, d->gemm_times->begin);
}

void dev_gemm_ends(struct dev *d, const struct dev_gemm *a)
{
    struct dev_gemm_times *t = d->gemm_times;
    struct dev_gemm_time *p;

    if (!t)
        return;
    d->event_record(d, DEV_COMPUTE, t->end);
    d->event_wait(d, t->end);
    p = row_of(t, a);
    p->calls++;
    p->seconds += d->event_seconds(d, t->begin, t->end);
    p->multiply_adds += (double) a->M * (double) a->N * (double) a->K;
}
