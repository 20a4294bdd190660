/*
 * train/models/task_weights.c - see the header.
 *
 * Classes of ids: 2 t those in front of the id of problem t and at it, 2 t + 1 those behind it; all
 * of the first problem's rows are of class 1.
 */
#include "train/models/task_weights.h"

#include <stdbool.h>

#include "base/alloc.h"

enum { NONE = -1 };

/* The first place in a row with the id of a problem; L: there is none. */
static int64_t find_task(const struct mdl_task_weights *w, const int32_t *row, int64_t L)
{
    int64_t i = 0;

    while (i < L && (row[i] < w->first || row[i] >= w->first + w->n))
        i++;
    return i;
}

static void classify(const struct mdl_task_weights *w, const int32_t *row, int64_t L,
                     int32_t *classes)
{
    int64_t at = find_task(w, row, L);
    int32_t task = at < L ? row[at] - w->first : 0;
    bool has_targets = false;

    for (int64_t i = at + 1; i < L; i++)
        has_targets = has_targets || row[i] != 0;
    for (int64_t i = 0; i < L; i++)
        classes[i] = !has_targets || row[i] == 0 ? NONE : 2 * task + (task == 0 || i > at);
}

/* What the loss of an id of each class is multiplied by, for a sum over n ids. */
static void factors(const struct mdl_task_weights *w, const int64_t *counts, int64_t n,
                    double *factor)
{
    int64_t k = 0;

    for (int32_t t = 0; t < w->n; t++)
        k += counts[2 * t + 1] > 0;
    for (int32_t c = 0; c < 2 * w->n; c++) {
        double share = c < 2 ? 1.0 : c % 2 == 1 ? w->label_weight : 1.0 - w->label_weight;

        factor[c] =
            counts[c] > 0 ? share * (double) n / (double) counts[c] / (double) (k + (k == 0)) : 0.0;
    }
}

void mdl_task_weights(const struct mdl_task_weights *w, const int32_t *targets, int64_t B,
                      int64_t L, float *weights)
{
    int32_t *classes = t2_alloc((size_t) (B * L) + 1, sizeof *classes);
    int64_t *counts = t2_alloc(2 * (size_t) w->n, sizeof *counts), n = 0;
    double *factor = t2_alloc(2 * (size_t) w->n, sizeof *factor);

    for (int64_t r = 0; r < B; r++)
        classify(w, targets + r * L, L, classes + r * L);
    for (int64_t i = 0; i < B * L; i++) {
        n += targets[i] != 0;
        if (classes[i] != NONE)
            counts[classes[i]]++;
    }
    factors(w, counts, n, factor);
    for (int64_t i = 0; i < B * L; i++)
        weights[i] = classes[i] == NONE ? 0.0f : (float) factor[classes[i]];
    t2_free(factor);
    t2_free(counts);
    t2_free(classes);
}
