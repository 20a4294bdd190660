/*
 * Tests of train/runs/schedules.c: every name of Tensor2Tensor's runs or is refused; what is listed
 * is what runs.
 */
#include "train/runs/schedules.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

static struct t2_err err;

static void test_listed_ones_run(void **state)
{
    const struct tr_schedule *s;

    (void) state;
    for (const char *at = tr_schedule_names; *at != '\0';) {
        size_t n = strcspn(at, " ");
        char *name = t2_strndup(at, n);

        assert_int_equal(tr_schedule_find(name, &s, &err), T2_OK);
        assert_string_equal(s->name, name);
        assert_true(s->train || s->evaluate);
        assert_true(!(s->train && (s->continuous || s->of_train_data)));
        at += n + (at[n] == ' ');
        t2_free(name);
    }
}

/* trainer_lib.py: the public methods of T2TExperiment. */
static void test_all_of_the_original(void **state)
{
    static const char *const names[] = {"continuous_train_and_eval",
                                        "train_and_evaluate",
                                        "train",
                                        "train_eval_and_decode",
                                        "evaluate",
                                        "evaluate_on_train_data",
                                        "continuous_eval",
                                        "continuous_eval_on_train_data",
                                        "test",
                                        "run_std_server",
                                        "decode",
                                        "continuous_decode",
                                        "continuous_decode_on_train_data",
                                        "continuous_decode_on_eval_data",
                                        "continuous_decode_from_file"};
    const struct tr_schedule *s;

    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        enum t2_status st = tr_schedule_find(names[i], &s, &err);

        if (st != T2_OK && st != T2_EUNSUPPORTED)
            fail_msg("%s: %s", names[i], err.message);
        if (st == T2_EUNSUPPORTED)
            t_assert_contains(err.message, strstr(names[i], "decode") ? "t2t-decoder" : "mpirun");
    }
}

static void test_others(void **state)
{
    const struct tr_schedule *s = NULL;

    (void) state;
    assert_int_equal(tr_schedule_find("evaluates", &s, &err), T2_EUSAGE);
    t_assert_contains(err.message, "unknown --schedule 'evaluates'; there are train, cont");
    assert_int_equal(tr_schedule_find("", &s, &err), T2_EUSAGE);
    assert_null(s);
}

T_MAIN(cmocka_unit_test(test_listed_ones_run), cmocka_unit_test(test_all_of_the_original),
       cmocka_unit_test(test_others))
