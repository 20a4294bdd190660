/*
 * tests/support/metric_check.h - the statistics of one segment by a metric of train/eval/metric.h.
 */
#ifndef T2_TESTS_SUPPORT_METRIC_CHECK_H
#define T2_TESTS_SUPPORT_METRIC_CHECK_H

#include <string.h>

#include "tests/support/t.h"
#include "train/eval/metric.h"

enum { T_MAX_REFERENCES = 4 };

/* references ends with NULL. */
static inline void t_segment_stats(const struct ev_metric *m, const char *hypothesis,
                                   const char *const *references, double *stats)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice slices[T_MAX_REFERENCES];
    struct ev_segment s = {t2_slice_of(hypothesis), slices, 0};
    void *work = m->kind->work_new(m);

    for (; references[s.n_references]; s.n_references++)
        slices[s.n_references] = t2_slice_of(references[s.n_references]);
    assert_int_equal(m->kind->segment(m, work, &s, stats, &err), T2_OK);
    m->kind->work_free(work);
}

static inline void t_check_stats(const struct ev_metric *m, const char *hypothesis,
                                 const char *const *references, const double *want)
{
    double stats[128];

    t_segment_stats(m, hypothesis, references, stats);
    for (int k = 0; k < m->n_stats; k++)
        if (stats[k] != want[k])
            fail_msg("'%s': statistic %d is %g, expected %g", hypothesis, k, stats[k], want[k]);
}

static inline void t_check_signature(const struct ev_metric *m, const char *name,
                                     const char *signature, const char *short_signature)
{
    struct t2_buf text = {NULL, 0, 0};

    m->kind->name(m, &text);
    assert_string_equal(t2_buf_cstr(&text), name);
    t2_buf_clear(&text);
    m->kind->signature(m, false, &text);
    assert_string_equal(t2_buf_cstr(&text), signature);
    t2_buf_clear(&text);
    m->kind->signature(m, true, &text);
    assert_string_equal(t2_buf_cstr(&text), short_signature);
    t2_buf_release(&text);
}

#endif
