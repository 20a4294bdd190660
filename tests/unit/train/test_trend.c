/*
 * Tests of train/runs/trend.c: what is said, when, and that it is said once.
 */
#include "train/runs/trend.h"

#include <math.h>
#include <string.h>

#include "tests/support/t.h"

/* What is said of 200 lines whose numbers are these functions of the line. */
static const char *said(double (*loss)(int), double (*norm)(int), double (*rate)(int))
{
    static struct t2_buf text;
    struct tr_trend t = {0};

    t2_buf_release(&text);
    for (int i = 0; i < 200; i++) {
        const struct ev_train_line line = {.step = 10 * (i + 1),
                                           .loss_mean = loss(i),
                                           .gradient_norm = norm(i),
                                           .learning_rate = rate(i)};

        tr_trend_line(&t, &line, &text, &text);
    }
    return t2_buf_cstr(&text);
}

static double constant(int i)
{
    (void) i;
    return 1.0;
}

static double falls(int i)
{
    return 5.0 / (1 + 0.1 * i) + 0.05 * (i % 2);
}

static double decays(int i)
{
    return 1.0 / (i + 1);
}

static double rises_late(int i)
{
    return i < 100 ? falls(i) : falls(100) + 0.05 * (i - 100);
}

static double not_a_number(int i)
{
    return i % 7 == 3 ? (double) NAN : 1.0;
}

static double bumps(int i)
{
    return 1.0 + 0.2 * (i % 5);
}

static double jumps(int i)
{
    return i == 60 || i == 90 ? 50.0 : bumps(i);
}

static double warms_up(int i)
{
    return i < 50 ? 0.02 * i : 1.0 / (i - 49);
}

static void test_quiet(void **state)
{
    (void) state;
    assert_string_equal(said(falls, bumps, constant), "");
    assert_string_equal(said(constant, constant, decays), ""); /* only falls */
    assert_string_equal(said(not_a_number, not_a_number, constant), "");
}

static void test_said_once(void **state)
{
    const char *text;

    (void) state;
    text = said(rises_late, bumps, constant);
    t_assert_contains(text, "the loss has been rising since step 10");
    assert_ptr_equal(strchr(text, '\n'), strrchr(text, '\n'));
    text = said(falls, jumps, constant);
    assert_int_equal(strncmp(text, "step 610: the gradient norm is 50; about 1.", 43), 0);
    assert_ptr_equal(strchr(text, '\n'), strrchr(text, '\n'));
    text = said(falls, bumps, warms_up);
    assert_string_equal(text,
                        "step 520: the learning rate is past its peak of 1 at about step 510\n");
}

T_MAIN(cmocka_unit_test(test_quiet), cmocka_unit_test(test_said_once))
