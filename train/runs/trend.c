/*
 * train/runs/trend.c - see the header.
 */
#include "train/runs/trend.h"

#include <inttypes.h>
#include <math.h>

enum { SOME_LINES = 20 };

/* Of the last ten lines, about. */
static double smooth(double old, double v, int64_t n_lines)
{
    double weight = fmax(0.1, 1.0 / (double) (n_lines + 1));

    return old + weight * (v - old);
}

static void look_at_loss(struct tr_trend *t, const struct ev_train_line *l, struct t2_buf *text)
{
    if (!isfinite(l->loss_mean))
        return;
    t->loss = smooth(t->loss, l->loss_mean, t->n_lines);
    if (t->n_lines == 0 || t->loss < t->least_loss) {
        t->least_loss = t->loss;
        t->least_line = t->n_lines;
        t->least_step = l->step;
    }
    if (t->said_loss || t->n_lines - t->least_line < SOME_LINES ||
        t->loss < t->least_loss + 0.05 * fabs(t->least_loss))
        return;
    t->said_loss = true;
    t2_buf_printf(text,
                  "step %" PRId64 ": the loss has been rising since step %" PRId64
                  ": about %.4g there, %.4g here\n",
                  l->step, t->least_step, t->least_loss, t->loss);
}

static void look_at_norm(struct tr_trend *t, const struct ev_train_line *l, struct t2_buf *text)
{
    double v = log(l->gradient_norm), away = v - t->norm_mean;
    double deviation = sqrt(fmax(0.0, t->norm_square - t->norm_mean * t->norm_mean));

    if (!isfinite(v))
        return;
    if (!t->said_norm && t->n_lines >= SOME_LINES && away > log(5.0) && away > 6.0 * deviation) {
        t->said_norm = true;
        t2_buf_printf(text, "step %" PRId64 ": the gradient norm is %.4g; about %.4g is usual\n",
                      l->step, l->gradient_norm, exp(t->norm_mean));
    }
    t->norm_mean = smooth(t->norm_mean, v, t->n_lines);
    t->norm_square = smooth(t->norm_square, v * v, t->n_lines);
}

static void look_at_rate(struct tr_trend *t, const struct ev_train_line *l, struct t2_buf *text)
{
    if (t->n_lines > 0 && l->learning_rate > t->rate)
        t->rate_rose = true;
    if (t->n_lines == 0 || l->learning_rate >= t->peak) {
        t->peak = l->learning_rate;
        t->peak_step = l->step;
    }
    t->rate = l->learning_rate;
    if (t->said_peak || !t->rate_rose || l->learning_rate >= t->peak)
        return;
    t->said_peak = true;
    t2_buf_printf(text,
                  "step %" PRId64
                  ": the learning rate is past its peak of %.4g at about step %" PRId64 "\n",
                  l->step, t->peak, t->peak_step);
}

void tr_trend_line(struct tr_trend *t, const struct ev_train_line *l, struct t2_buf *warnings,
                   struct t2_buf *notes)
{
    look_at_loss(t, l, warnings);
    look_at_norm(t, l, warnings);
    look_at_rate(t, l, notes);
    t->n_lines++;
}
