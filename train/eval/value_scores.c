/*
 * train/eval/value_scores.c - see the header.
 *
 * Sums are of values less the first target: numbers far from 0 would lose their variance else.
 */
#include "train/eval/value_scores.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- sums ---- */

static void add_value(struct ev_value_sums *s, double p, double t)
{
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
    if (s->asked & EV_LOG_POISSON) {
        s->log_poisson += exp(p) - p * t;
        if (!(t >= 0.0 && t <= 1.0))
            s->log_poisson += t * log(t) - t + 0.5 * log(2.0 * M_PI * t);
    }
    if (s->asked & EV_TWO_CLASSES) {
        s->rounded_right += nearbyint(p) == trunc(t);
        s->log_likelihood += log(trunc(t) == 1.0 ? p : trunc(t) == 0.0 ? 1.0 - p : 0.0);
    }
    p -= s->first;
    t -= s->first;
    s->p += p;
    s->t += t;
    s->pp += p * p;
    s->tt += t * t;
    s->pt += p * t;
}

/* float32, as in the original: far from 0 several are equal. */
static float sigmoid(float x)
{
    return 1.0F / (1.0F + expf(-x));
}

/* p (n) logits, t (n) 0 or 1. */
static void add_row(struct ev_value_sums *s, const float *p, const float *t, int64_t n)
{
    int64_t said = 0, greatest = 0, holds = 0;
    double most = (double) p[0], sum = 0.0;

    for (int64_t i = 1; i < n; i++) {
        said = sigmoid(p[i]) > sigmoid(p[said]) ? i : said;
        greatest = p[i] > p[greatest] ? i : greatest;
        holds = t[i] > t[holds] ? i : holds;
        most = fmax(most, (double) p[i]);
    }
    for (int64_t i = 0; i < n; i++)
        sum += exp((double) p[i] - most);
    for (int64_t i = 0; i < n; i++) {
        double x = (double) p[i], y = (double) t[i];

        s->softmax += y * (most + log(sum) - x);
        s->sigmoid += fmax(x, 0.0) - x * y + log1p(exp(-fabs(x)));
    }
    s->rows += 1.0;
    s->same_first += said == holds;
    s->first_holds += t[said] > 0.5F;
    s->thirds += greatest > 0 && t[greatest] > 0.5F;
    if (n == 2)
        s->table[holds][greatest] += 1.0;
}

void ev_value_sums_add(struct ev_value_sums *s, const float *predictions, const float *targets,
                       int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows * columns; i++)
        add_value(s, (double) predictions[i], (double) targets[i]);
    if (s->asked & (EV_ONE_HOT | EV_ROC_AUC | EV_MATCH_3))
        for (int64_t r = 0; r < rows; r++)
            add_row(s, predictions + r * columns, targets + r * columns, columns);
}

/* ---- means ---- */

static double ratio(double a, double b)
{
    return b > 0.0 ? a / b : (double) NAN;
}

/* tf.metrics.auc of predictions that are 0 or 1: its thresholds see three points of the curve, from
 * (all, all) over the one of the ones to (none, none), with its term against divisions by 0. */
static double roc_auc(const double table[2][2])
{
    const double epsilon = 1e-6;
    double negative = table[0][0] + table[0][1], positive = table[1][0] + table[1][1], area = 0.0;
    double x[] = {negative / (negative + epsilon), table[0][1] / (negative + epsilon), 0.0};
    double y[] = {(positive + epsilon) / (positive + epsilon),
                  (table[1][1] + epsilon) / (positive + epsilon), epsilon / (positive + epsilon)};

    for (int i = 0; i < 2; i++)
        area += (x[i] - x[i + 1]) * (y[i] + y[i + 1]) / 2.0;
    return negative + positive > 0.0 ? area : (double) NAN;
}

struct ev_value_means ev_value_sums_means(const struct ev_value_sums *s)
{
    double varied = s->tt - ratio(s->t * s->t, s->n), of_p = s->pp - ratio(s->p * s->p, s->n);
    double nothing = s->rows > 0.0 ? 0.0 : (double) NAN; /* as in the original */

    return (struct ev_value_means){
        .kind = s->kind,
        .asked = s->asked,
        .unpadded_mse = ratio(s->squares, s->n),
        .rmse = sqrt(ratio(s->squares, s->n)),
        .mean_absolute_error = ratio(s->absolute, s->n),
        .r_squared = 1.0 - ratio(s->squares, varied),
        .pearson = ratio(s->pt - ratio(s->p * s->t, s->n), sqrt(fmax(0.0, varied * of_p))),
        .binary_accuracy = ratio(s->right, s->n),
        .set_precision = ratio(s->both, s->said),
        .set_recall = ratio(s->both, s->held),
        .log_poisson = s->n > 0.0 ? s->log_poisson : (double) NAN,
        .two_class_accuracy = ratio(s->rounded_right, s->n),
        .two_class_log_likelihood = ratio(s->log_likelihood, s->n),
        .softmax_cross_entropy_one_hot = ratio(s->softmax, s->rows),
        .sigmoid_cross_entropy_one_hot = ratio(s->sigmoid, s->n) + nothing,
        .sigmoid_accuracy = ratio(s->same_first, s->rows),
        .sigmoid_precision_one_hot = ratio(s->first_holds, s->rows),
        .sigmoid_recall_one_hot = s->held > 0.0 ? ratio(s->first_holds, s->held) : nothing,
        .roc_auc = roc_auc(s->table),
        .accuracy_multilabel_match3 = ratio(s->thirds, s->rows * 3.0),
    };
}

/* ---- names ---- */

#define AT(member) offsetof(struct ev_value_means, member)

static const struct {
    enum ev_value_kind of;
    unsigned asked; /* 0: always said */
    const char *name;
    size_t at;
} scores[] = {
    {EV_REALS, 0, "rmse", AT(rmse)},
    {EV_REALS, 0, "unpadded_mse", AT(unpadded_mse)},
    {EV_REALS, 0, "mean_absolute_error", AT(mean_absolute_error)},
    {EV_REALS, 0, "r_squared", AT(r_squared)},
    {EV_REALS, 0, "pearson", AT(pearson)},
    {EV_REALS, EV_LOG_POISSON, "log_poisson", AT(log_poisson)},
    {EV_REALS, EV_TWO_CLASSES, "two_class_accuracy", AT(two_class_accuracy)},
    {EV_REALS, EV_TWO_CLASSES, "two_class_log_likelihood", AT(two_class_log_likelihood)},
    {EV_LABEL_SETS, 0, "binary_accuracy", AT(binary_accuracy)},
    {EV_LABEL_SETS, 0, "set_precision", AT(set_precision)},
    {EV_LABEL_SETS, 0, "set_recall", AT(set_recall)},
    {EV_LABEL_SETS, EV_ONE_HOT, "softmax_cross_entropy_one_hot", AT(softmax_cross_entropy_one_hot)},
    {EV_LABEL_SETS, EV_ONE_HOT, "sigmoid_accuracy", AT(sigmoid_accuracy)},
    {EV_LABEL_SETS, EV_ONE_HOT, "sigmoid_accuracy_one_hot", AT(sigmoid_accuracy)},
    {EV_LABEL_SETS, EV_ONE_HOT, "sigmoid_precision_one_hot", AT(sigmoid_precision_one_hot)},
    {EV_LABEL_SETS, EV_ONE_HOT, "sigmoid_recall_one_hot", AT(sigmoid_recall_one_hot)},
    {EV_LABEL_SETS, EV_ONE_HOT, "sigmoid_cross_entropy_one_hot", AT(sigmoid_cross_entropy_one_hot)},
    {EV_LABEL_SETS, EV_ROC_AUC, "roc_auc", AT(roc_auc)},
    {EV_LABEL_SETS, EV_MATCH_3, "accuracy_multilabel_match3", AT(accuracy_multilabel_match3)},
};

bool ev_value_score_ask(enum ev_value_kind kind, int64_t columns, const char *name, unsigned *asked)
{
    for (size_t k = 0; k < sizeof scores / sizeof *scores; k++)
        if (scores[k].of == kind && strcmp(scores[k].name, name) == 0 &&
            (scores[k].asked != EV_ROC_AUC || columns == 2)) {
            *asked |= scores[k].asked;
            return true;
        }
    return false;
}

const char *ev_value_score(const struct ev_value_means *m, int i, double *value)
{
    for (size_t k = 0; k < sizeof scores / sizeof *scores; k++) {
        if (scores[k].of != m->kind || (scores[k].asked && !(m->asked & scores[k].asked)) ||
            i-- > 0)
            continue;
        memcpy(value, (const char *) m + scores[k].at, sizeof *value);
        return scores[k].name;
    }
    *value = (double) NAN;
    return NULL;
}
