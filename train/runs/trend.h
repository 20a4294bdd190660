/*
 * train/runs/trend.h - what of a run's report lines somebody should look at: each said once.
 */
#ifndef TR_TREND_H
#define TR_TREND_H

#include <stdbool.h>

#include "base/buf.h"
#include "train/eval/report.h"

/* Zero-initialise. */
struct tr_trend {
    int64_t n_lines;
    double loss, least_loss; /* smoothed over lines */
    int64_t least_line, least_step;
    double norm_mean, norm_square; /* of the logarithm of the gradient norm, smoothed */
    double rate, peak;             /* learning rate of the last line, and the highest */
    int64_t peak_step;
    bool rate_rose;
    bool said_loss, said_norm, said_peak;
};

/*
 * Adds a line, and what is to be said of it, a line each, at most once a process, to *warnings:
 *   - the smoothed loss was least 20 lines ago or more and is a twentieth above that;
 *   - the gradient norm is five times its usual, and six standard deviations away, after 20 lines;
 * and to *notes:
 *   - the learning rate, which rose, falls.
 */
void tr_trend_line(struct tr_trend *t, const struct ev_train_line *line, struct t2_buf *warnings,
                   struct t2_buf *notes);

#endif
