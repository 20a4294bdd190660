/*
 * tests/unit/tfrec/test_stats_results.c - means, frequent values in order, what is a label.
 */
#include "tests/unit/tfrec/sets.h"
#include "tfrec/stats.h"

static void test_results(void **state)
{
    const struct rec_stats_options o = {.vocab = NULL};
    struct tfr_inputs in = set_three_inputs();
    struct rec_stats *s = set_stats(&in, 1, &o);
    struct rec_top top[8];
    size_t at[5];
    static const char *const names[] = {"ids", "label", "none", "score", "text"};

    (void) state;
    for (size_t i = 0; i < 5; i++)
        at[i] = (size_t) (set_field(s->schema, names[i]) - s->schema->fields);
#define ARGS(i) &s->schema->fields[at[i]], &s->features[at[i]]
    assert_true(rec_stats_mean(ARGS(1)) == 4.0);
    assert_true(rec_stats_mean(ARGS(3)) == 1.0);
    assert_true(isnan(rec_stats_mean(ARGS(2))));
    assert_true(isnan(rec_stats_mean(ARGS(4))));
    assert_int_equal(rec_stats_top(ARGS(0), top, 8), 4);
    assert_int_equal(top[0].int_value, 1);
    assert_int_equal(top[0].count, 2);
    assert_int_equal(top[1].int_value, 3);
    assert_int_equal(rec_stats_top(ARGS(1), top, 1), 1);
    assert_int_equal(top[0].int_value, 7);
    assert_int_equal(rec_stats_top(ARGS(3), top, 8), 3);
    assert_true(top[0].float_value == 0.5F && isnan(top[2].float_value));
    assert_int_equal(rec_stats_top(ARGS(4), top, 8), 2);
    assert_memory_equal(top[0].text.data, "a<b", 3);
    assert_int_equal(rec_stats_top(ARGS(2), top, 8), 0);
    assert_true(rec_stats_is_label(ARGS(1)));
    assert_true(rec_stats_is_label(ARGS(4)));
    assert_false(rec_stats_is_label(ARGS(0)));
    assert_false(rec_stats_is_label(ARGS(3)));
    assert_true(rec_stats_is_ids(&s->schema->fields[at[0]]));
    assert_false(rec_stats_is_ids(&s->schema->fields[at[1]]));
    rec_stats_free(s);
    tfr_inputs_release(&in);
}

T_MAIN(cmocka_unit_test(test_results))
