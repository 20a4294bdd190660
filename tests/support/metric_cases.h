/*
 * tests/support/metric_cases.h - fixtures/recordings/t2t_metrics/metrics.json, case by case: what
 * functions of Tensor2Tensor's utils/metrics.py say of drawn predictions and labels.
 */
#ifndef T_METRIC_CASES_H
#define T_METRIC_CASES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "tests/support/t.h"

struct t_metric_case {
    const char *metric;
    int64_t rows, columns, n_inputs;
    double *predictions, *labels; /* (rows, columns) */
    double *inputs;               /* n_inputs; of ids alone */
    double value;                 /* infinite, or NaN, where it is there */
};

static inline double *t_metric_numbers(const struct t2_json_value *case_, const char *key,
                                       size_t *n)
{
    const struct t2_json_value *list = t2_json_get(case_, key);
    double *numbers;

    *n = list ? t2_json_size(list) : 0;
    numbers = t2_alloc(*n, sizeof *numbers);
    for (size_t i = 0; i < *n; i++)
        numbers[i] = t2_json_as_double(t2_json_item(list, i), (double) NAN);
    return numbers;
}

/* Calls see for each case of this kind ("reals", "sets", "ids"); returns how many there were. */
static inline size_t t_metric_cases(const char *kind, void (*see)(const struct t_metric_case *c))
{
    const char *root = getenv("T2_ROOT");
    char *path =
        t2_path_join(root && *root ? root : ".", "fixtures/recordings/t2t_metrics/metrics.json");
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    size_t n_seen = 0;

    if (t2_json_load(path, &doc, &err) != T2_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < t2_json_size(t2_json_root(doc)); i++) {
        const struct t2_json_value *v = t2_json_item(t2_json_root(doc), i);
        struct t_metric_case c = {
            .metric = t2_json_as_string(t2_json_get(v, "metric"), ""),
            .rows = t2_json_as_i64(t2_json_get(v, "rows"), 0),
            .columns = t2_json_as_i64(t2_json_get(v, "columns"), 0),
            .value = t2_json_as_double(t2_json_get(v, "value"), (double) NAN),
        };
        const char *is = t2_json_as_string(t2_json_get(v, "is"), "");
        size_t n_predictions, n_labels, n_inputs;

        if (strcmp(t2_json_as_string(t2_json_get(v, "kind"), ""), kind) != 0)
            continue;
        if (strcmp(is, "-inf") == 0)
            c.value = -(double) INFINITY;
        c.predictions = t_metric_numbers(v, "predictions", &n_predictions);
        c.labels = t_metric_numbers(v, "labels", &n_labels);
        c.inputs = t_metric_numbers(v, "inputs", &n_inputs);
        c.n_inputs = (int64_t) n_inputs;
        assert_true(c.rows > 0 && n_predictions == (size_t) (c.rows * c.columns) &&
                    n_labels == n_predictions);
        see(&c);
        n_seen++;
        t2_free(c.predictions);
        t2_free(c.labels);
        t2_free(c.inputs);
    }
    t2_json_free(doc);
    t2_free(path);
    return n_seen;
}

/* The originals are float32. */
static inline void t_metric_near(const struct t_metric_case *c, double value)
{
    double room = 3e-6 * fmax(1.0, fabs(c->value));

    if (isfinite(c->value) ? !(fabs(value - c->value) <= room)
                           : value != c->value && !(isnan(value) && isnan(c->value)))
        fail_msg("%s of (%d, %d): %.9g, expected %.9g", c->metric, (int) c->rows, (int) c->columns,
                 value, c->value);
}

#endif
