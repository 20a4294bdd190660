/*
 * train/eval/value_scores.c - see the header.
 *
 * Sums are of values less the first target: numbers far from 0 would lose their variance else.
 */
#include "train/eval/value_scores.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

void ev_value_sums_add(struct ev_value_sums *s, const float *predictions, const float *targets,
                       int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double p = (double) predictions[i], t = (double) targets[i];
        bool says = p > 0.0, holds = t > 0.5;

        if (s->n == 0.0)
            s->first = t;
        s->n += 1.0;
        s->squares += (p - t) * (p - t);
        s->absolute += fabs(p - t);
        s->right += says == holds;
        s->said += says;
        s->held += holds;
        s->both += says && holds;
        p -= s->first;
        t -= s->first;
        s->p += p;
        s->t += t;
        s->pp += p * p;
        s->tt += t * t;
        s->pt += p * t;
    }
}

static double ratio(double a, double b)
{
    return b > 0.0 ? a / b : (double) NAN;
}

struct ev_value_means ev_value_sums_means(const struct ev_value_sums *s)
{
    double varied = s->tt - ratio(s->t * s->t, s->n), of_p = s->pp - ratio(s->p * s->p, s->n);

    return (struct ev_value_means){
        .kind = s->kind,
        .unpadded_mse = ratio(s->squares, s->n),
        .rmse = sqrt(ratio(s->squares, s->n)),
        .mean_absolute_error = ratio(s->absolute, s->n),
        .r_squared = 1.0 - ratio(s->squares, varied),
        .pearson = ratio(s->pt - ratio(s->p * s->t, s->n), sqrt(fmax(0.0, varied * of_p))),
        .sigmoid_accuracy = ratio(s->right, s->n),
        .set_precision = ratio(s->both, s->said),
        .set_recall = ratio(s->both, s->held),
    };
}

const char *ev_value_score(const struct ev_value_means *m, int i, double *value)
{
    const struct {
        enum ev_value_kind of;
        const char *name;
        double value;
    } scores[] = {{EV_REALS, "rmse", m->rmse},
                  {EV_REALS, "unpadded_mse", m->unpadded_mse},
                  {EV_REALS, "mean_absolute_error", m->mean_absolute_error},
                  {EV_REALS, "r_squared", m->r_squared},
                  {EV_REALS, "pearson", m->pearson},
                  {EV_LABEL_SETS, "sigmoid_accuracy", m->sigmoid_accuracy},
                  {EV_LABEL_SETS, "set_precision", m->set_precision},
                  {EV_LABEL_SETS, "set_recall", m->set_recall}};

    for (size_t k = 0; k < sizeof scores / sizeof *scores; k++) {
        if (scores[k].of != m->kind || i-- > 0)
            continue;
        *value = scores[k].value;
        return scores[k].name;
    }
    *value = (double) NAN;
    return NULL;
}
