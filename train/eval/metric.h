/*
 * train/eval/metric.h - what BLEU, chrF and TER have in common, as sacreBLEU's class Metric: a
 * segment gives statistics, and the sum of many segments' statistics gives a score.
 */
#ifndef EV_METRIC_H
#define EV_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "train/eval/numpy_number.h"

#define EV_SACREBLEU_VERSION "2.6.0"

struct ev_segment {
    struct t2_slice hypothesis;
    const struct t2_slice *references;
    int n_references;
};

/* What the sums are in sacreBLEU: Python's numbers, sums of float32 of a resample, or int64 of a
 * randomised corpus. */
enum ev_sums { EV_SUMS_PYTHON, EV_SUMS_FLOAT32, EV_SUMS_INT64 };

struct ev_metric;

struct ev_metric_kind {
    const char *id; /* "bleu", as --metrics has it */
    /* Working memory of one thread. */
    void *(*work_new)(const struct ev_metric *m);
    void (*work_free)(void *work);
    /* Sets m->n_stats statistics. */
    enum t2_status (*segment)(const struct ev_metric *m, void *work, const struct ev_segment *s,
                              double *stats, struct t2_err *err);
    struct ev_number (*score)(const struct ev_metric *m, const double *stats, enum ev_sums sums);
    /* Appends "chrF2++". */
    void (*name)(const struct ev_metric *m, struct t2_buf *out);
    /* Appends "case:lc|eff:no|" or "c:lc|e:no|". */
    void (*signature)(const struct ev_metric *m, bool is_short, struct t2_buf *out);
    /* Appends what is behind the score of a corpus; NULL: nothing. */
    void (*verbose)(const struct ev_metric *m, const double *stats, struct t2_buf *out);
    /* Keys and values of the sums, in the object that is open. */
    void (*json)(const struct ev_metric *m, const double *stats, struct t2_json *json);
    void (*free)(struct ev_metric *m);
};

/* First member of a metric's own struct. */
struct ev_metric {
    const struct ev_metric_kind *kind;
    int n_stats;
};

static inline void ev_metric_free(struct ev_metric *m)
{
    if (m)
        m->kind->free(m);
}

/* "yes" or "no" */
static inline const char *ev_yes(bool b)
{
    return b ? "yes" : "no";
}

#endif
