/*
 * datagen/fetch/fetch_meter.c - one progress line for files that are downloaded at the same time,
 * and one limit of speed.
 */
#include "datagen/fetch/fetch_meter.h"

void dg_meter_init(struct dg_fetch_meter *m, int n_files, uint64_t max_bytes_per_s)
{
    *m = (struct dg_fetch_meter){.n_unknown = n_files, .bytes_per_s = (double) max_bytes_per_s};
    pthread_mutex_init(&m->mutex, NULL);
    t2_progress_start(&m->progress, "downloading", "bytes", 0);
}

static void show(struct dg_fetch_meter *m)
{
    m->progress.total = m->n_unknown > 0 ? 0 : m->want_bytes;
    t2_progress_update(&m->progress, m->have_bytes);
}

void dg_meter_begin(struct dg_fetch_meter *m, struct dg_fetch_share *s, uint64_t want_bytes)
{
    pthread_mutex_lock(&m->mutex);
    m->want_bytes = m->want_bytes - s->want_bytes + want_bytes;
    m->have_bytes -= s->have_bytes;
    m->n_unknown += (int) s->is_known - (int) (want_bytes > 0);
    *s = (struct dg_fetch_share){.is_known = want_bytes > 0, .want_bytes = want_bytes};
    show(m);
    pthread_mutex_unlock(&m->mutex);
}

/* Every byte books its time behind those before it; unused time is not saved up. */
static double book(struct dg_fetch_meter *m, uint64_t bytes)
{
    double now = t2_now_s();

    if (m->bytes_per_s <= 0)
        return 0;
    m->free_at_s = (m->free_at_s > now ? m->free_at_s : now) + (double) bytes / m->bytes_per_s;
    return m->free_at_s - now;
}

double dg_meter_add(struct dg_fetch_meter *m, struct dg_fetch_share *s, uint64_t bytes)
{
    double wait_s;

    pthread_mutex_lock(&m->mutex);
    s->have_bytes += bytes;
    m->have_bytes += bytes;
    wait_s = book(m, bytes);
    show(m);
    pthread_mutex_unlock(&m->mutex);
    return wait_s;
}

void dg_meter_release(struct dg_fetch_meter *m)
{
    t2_progress_end(&m->progress);
    pthread_mutex_destroy(&m->mutex);
}
