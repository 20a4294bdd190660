/*
 * datagen/fetch/fetch_meter.h - one progress line for files that are downloaded at the same time.
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
    int n_unknown; /* files whose size is not known yet: no ETA */
};

/* What one file has put into the meter; zero-initialise. */
struct dg_fetch_share {
    bool is_known;
    uint64_t want_bytes, have_bytes;
};

void dg_meter_init(struct dg_fetch_meter *m, int n_files);
/* This file will bring want_bytes from now on (0: unknown); what it brought before does not count. */
void dg_meter_begin(struct dg_fetch_meter *m, struct dg_fetch_share *s, uint64_t want_bytes);
void dg_meter_add(struct dg_fetch_meter *m, struct dg_fetch_share *s, uint64_t bytes);
void dg_meter_release(struct dg_fetch_meter *m);

#endif
