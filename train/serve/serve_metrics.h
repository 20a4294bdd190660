/*
 * train/serve/serve_metrics.h - what a server has done, as text for Prometheus (exposition format
 * 0.0.4).  Any thread may call any function.
 */
#ifndef SRV_SERVE_METRICS_H
#define SRV_SERVE_METRICS_H

#include <stdint.h>

#include "base/buf.h"

struct srv_metrics;

struct srv_metrics *srv_metrics_new(void);
void srv_metrics_free(struct srv_metrics *m);

/* An answer was given, so many seconds after the request began. */
void srv_metrics_answered(struct srv_metrics *m, int status, double seconds);
/* Instances begin in the model, where so many are then. */
void srv_metrics_began(struct srv_metrics *m, int32_t n_rows);
/* A batch, or an instance that came to others, has so many ids behind so many seconds. */
void srv_metrics_ended(struct srv_metrics *m, int64_t n_ids, double seconds);
void srv_metrics_reload(struct srv_metrics *m);

/* What is so at the moment of asking. */
struct srv_gauges {
    int64_t n_waiting; /* instances that were accepted and have no answer */
    int64_t n_open;    /* requests that have no answer */
    int64_t version;
};
void srv_metrics_write(struct srv_metrics *m, const struct srv_gauges *now, struct t2_buf *text);

#endif
