/*
 * train/serve/serve_metrics.c - counters and histograms behind one lock.
 */
#include "train/serve/serve_metrics.h"

#include <inttypes.h>
#include <pthread.h>

#include "base/alloc.h"

enum { MOST_BOUNDS = 16, FIRST_STATUS = 100, LAST_STATUS = 599 };

struct histogram {
    const char *name, *help;
    int n_bounds;
    double bounds[MOST_BOUNDS];
    uint64_t counts[MOST_BOUNDS + 1]; /* each up to its bound and above the one before */
    double sum;
};

struct srv_metrics {
    pthread_mutex_t lock;
    uint64_t by_status[LAST_STATUS - FIRST_STATUS + 1];
    struct histogram latency, rows, batch_time;
    uint64_t n_ids, n_reloads;
};

struct srv_metrics *srv_metrics_new(void)
{
    struct srv_metrics *m = t2_alloc(1, sizeof *m);

    pthread_mutex_init(&m->lock, NULL);
    m->latency = (struct histogram){.name = "t2t_request_seconds",
                                    .help = "Time from the head of a request to its answer.",
                                    .n_bounds = 14,
                                    .bounds = {.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1,
                                               2.5, 5, 10, 60}};
    m->batch_time = m->latency;
    m->batch_time.name = "t2t_batch_seconds";
    m->batch_time.help = "Time that a batch, or an instance that came to others, took.";
    m->rows = (struct histogram){.name = "t2t_batch_rows",
                                 .help = "Instances in the model when one or more begin.",
                                 .n_bounds = 9,
                                 .bounds = {1, 2, 4, 8, 16, 32, 64, 128, 256}};
    return m;
}

void srv_metrics_free(struct srv_metrics *m)
{
    if (!m)
        return;
    pthread_mutex_destroy(&m->lock);
    t2_free(m);
}

static void observe(struct histogram *h, double value)
{
    int i = 0;

    while (i < h->n_bounds && value > h->bounds[i])
        i++;
    h->counts[i]++;
    h->sum += value;
}

void srv_metrics_answered(struct srv_metrics *m, int status, double seconds)
{
    T2_ASSERT(status >= FIRST_STATUS && status <= LAST_STATUS);
    pthread_mutex_lock(&m->lock);
    m->by_status[status - FIRST_STATUS]++;
    observe(&m->latency, seconds);
    pthread_mutex_unlock(&m->lock);
}

void srv_metrics_began(struct srv_metrics *m, int32_t n_rows)
{
    pthread_mutex_lock(&m->lock);
    observe(&m->rows, n_rows);
    pthread_mutex_unlock(&m->lock);
}

void srv_metrics_ended(struct srv_metrics *m, int64_t n_ids, double seconds)
{
    pthread_mutex_lock(&m->lock);
    observe(&m->batch_time, seconds);
    m->n_ids += (uint64_t) n_ids;
    pthread_mutex_unlock(&m->lock);
}

void srv_metrics_reload(struct srv_metrics *m)
{
    pthread_mutex_lock(&m->lock);
    m->n_reloads++;
    pthread_mutex_unlock(&m->lock);
}

/* ---- as text ---- */

static void put_head(struct t2_buf *text, const char *name, const char *type, const char *help)
{
    t2_buf_printf(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_value(struct t2_buf *text, const char *name, const char *type, const char *help,
                      int64_t value)
{
    put_head(text, name, type, help);
    t2_buf_printf(text, "%s %" PRId64 "\n", name, value);
}

static void put_histogram(struct t2_buf *text, const struct histogram *h)
{
    uint64_t n = 0;

    put_head(text, h->name, "histogram", h->help);
    for (int i = 0; i < h->n_bounds; i++) {
        n += h->counts[i];
        t2_buf_printf(text, "%s_bucket{le=\"%g\"} %" PRIu64 "\n", h->name, h->bounds[i], n);
    }
    n += h->counts[h->n_bounds];
    t2_buf_printf(text, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum %.9g\n%s_count %" PRIu64 "\n",
                  h->name, n, h->name, h->sum, h->name, n);
}

void srv_metrics_write(struct srv_metrics *m, const struct srv_gauges *now, struct t2_buf *text)
{
    pthread_mutex_lock(&m->lock);
    put_head(text, "t2t_requests_total", "counter", "Answers by status.");
    for (int i = 0; i <= LAST_STATUS - FIRST_STATUS; i++)
        if (m->by_status[i] > 0)
            t2_buf_printf(text, "t2t_requests_total{code=\"%d\"} %" PRIu64 "\n", FIRST_STATUS + i,
                          m->by_status[i]);
    put_histogram(text, &m->latency);
    put_histogram(text, &m->rows);
    put_histogram(text, &m->batch_time);
    put_value(text, "t2t_target_ids_total", "counter", "Ids of the best hypotheses.",
              (int64_t) m->n_ids);
    put_value(text, "t2t_reloads_total", "counter", "Newer checkpoints that were taken.",
              (int64_t) m->n_reloads);
    pthread_mutex_unlock(&m->lock);
    put_value(text, "t2t_instances_waiting", "gauge", "Instances accepted and not answered.",
              now->n_waiting);
    put_value(text, "t2t_requests_open", "gauge", "Requests without an answer.", now->n_open);
    put_value(text, "t2t_model_version", "gauge", "Step of the checkpoint that is served.",
              now->version);
}
