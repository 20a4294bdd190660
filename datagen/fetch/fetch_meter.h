/*
 * datagen/fetch/fetch_meter.h - one progress line, and one limit of speed, for files that are
 * downloaded at the same time.
 */
#ifndef DG_FETCH_METER_H
#define DG_FETCH_METER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"

struct dg_fetch_meter {
    pthread_mutex_t mutex;
    struct t2_progress progress;
    uint64_t want_bytes, have_bytes;
    double bytes_per_s, free_at_s; /* 0: no limit; when the next byte may come */
    int n_unknown;                 /* files whose size is not known yet: no ETA */
};

/* What one file has put into the meter; zero-initialise. */
struct dg_fetch_share {
    bool is_known;
    uint64_t want_bytes, have_bytes;
};

void dg_meter_init(struct dg_fetch_meter *m, int n_files, uint64_t max_bytes_per_s);
/* This file will bring want_bytes from now on (0: unknown); what it brought before does not
 * count. */
void dg_meter_begin(struct dg_fetch_meter *m, struct dg_fetch_share *s, uint64_t want_bytes);
/* Returns the seconds to wait before more is taken from the network. */
double dg_meter_add(struct dg_fetch_meter *m, struct dg_fetch_share *s, uint64_t bytes);
void dg_meter_release(struct dg_fetch_meter *m);

#endif
