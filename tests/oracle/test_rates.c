/*
 * Learning rates against oracles/rates/t2t.json: every schedule, every step.
 *
 * The original computes in float32, ours in double, so the difference allowed is the original's own
 * noise: what the table states for each schedule (relative to the value, or, where a cosine comes
 * near zero, to the schedule's largest value).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "tests/support/t.h"
#include "train/models/hparams.h"
#include "train/optim/schedule.h"

/* Sets one hparam from JSON, declaring it if basic_1 has none (piecewise's lists). */
static void set_from(struct mdl_hparams *hp, const char *name, const struct t2_json_value *v)
{
    int64_t ints[64];
    double floats[64];
    bool all_ints = true;

    switch (t2_json_type(v)) {
    case T2_JSON_INT:
        mdl_hp_set_int(hp, name, t2_json_as_i64(v, 0));
        break;
    case T2_JSON_REAL:
        mdl_hp_set_float(hp, name, t2_json_as_double(v, 0));
        break;
    case T2_JSON_BOOL:
        mdl_hp_set_bool(hp, name, t2_json_as_bool(v, false));
        break;
    case T2_JSON_STRING:
        mdl_hp_set_string(hp, name, t2_json_as_string(v, ""));
        break;
    case T2_JSON_ARRAY:
        assert_in_range(t2_json_size(v), 0, 64);
        for (size_t i = 0; i < t2_json_size(v); i++) {
            all_ints = all_ints && t2_json_type(t2_json_item(v, i)) == T2_JSON_INT;
            ints[i] = t2_json_as_i64(t2_json_item(v, i), 0);
            floats[i] = t2_json_as_double(t2_json_item(v, i), 0);
        }
        if (all_ints && strcmp(name, "learning_rate_multiples") != 0)
            mdl_hp_set_ints(hp, name, ints, t2_json_size(v));
        else
            mdl_hp_set_floats(hp, name, floats, t2_json_size(v));
        break;
    case T2_JSON_NULL:
    case T2_JSON_OBJECT:
        break;
    }
}

static void compare(const struct t2_json_value *schedule, const struct t2_json_value *steps)
{
    const struct t2_json_value *hparams = t2_json_get(schedule, "hparams");
    const struct t2_json_value *values = t2_json_get(schedule, "values"), *v = NULL;
    const char *name = t2_json_as_string(t2_json_get(schedule, "name"), "?");
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;
    int64_t train_steps = t2_json_as_i64(t2_json_get(hparams, "train_steps"), 0);
    double largest = 0, worst = 0;
    double rtol =
        fmax(2e-7, 1.5 * t2_json_as_double(t2_json_get(schedule,
                                                       "largest_relative_difference_from_double"),
                                           0));

    assert_int_equal(mdl_hparams_new("basic_1", &hp, &err), T2_OK);
    for (size_t i = 0; i < t2_json_size(hparams); i++) {
        const char *key = t2_json_member(hparams, i, &v);

        set_from(hp, key, v);
    }
    assert_int_equal(t2_json_size(values), t2_json_size(steps));
    for (size_t i = 0; i < t2_json_size(values); i++)
        largest = fmax(largest, fabs(t2_json_as_double(t2_json_item(values, i), 0)));
    for (size_t i = 0; i < t2_json_size(values); i++) {
        double expected = t2_json_as_double(t2_json_item(values, i), -1), rate = -1;
        int64_t step = t2_json_as_i64(t2_json_item(steps, i), -1);

        if (opt_learning_rate(hp, step, train_steps, &rate, &err) != T2_OK)
            fail_msg("%s: %s", name, err.message);
        worst = fmax(worst, fabs(rate - expected) / largest);
        if (!(fabs(rate - expected) <= rtol * fabs(expected) + 1e-7 * largest))
            fail_msg("%s, step %ld: %.9g instead of %.9g", name, (long) step, rate, expected);
    }
    print_message("%s: at most %.2g of the largest rate\n", name, worst);
    mdl_hparams_free(hp);
}

static void test_rates(void **state)
{
    const char *path = t_data_path("oracles/rates/t2t.json");
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    const struct t2_json_value *schedules, *steps;
    size_t compared = 0;

    (void) state;
    if (!path)
        t_skip("no oracles/rates/t2t.json in T2_DATA");
    assert_int_equal(t2_json_load(path, &doc, &err), T2_OK);
    schedules = t2_json_get(t2_json_root(doc), "schedules");
    steps = t2_json_get(t2_json_root(doc), "steps");
    for (size_t i = 0; i < t2_json_size(schedules); i++) {
        const struct t2_json_value *s = t2_json_item(schedules, i);

        /* one that the original itself cannot compute has no values */
        if (!t2_json_get(s, "values"))
            continue;
        compare(s, steps);
        compared++;
    }
    assert_true(compared > 0);
    t2_json_free(doc);
}

T_MAIN(cmocka_unit_test(test_rates))
