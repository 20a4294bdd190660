/*
 * Tests of train/runs/hp_flags.c.
 */
#include "train/runs/hp_flags.h"

#include "base/buf.h"
#include "tests/support/t.h"

static struct t2_err err;

/* The arguments after the first, one a line. */
static void check(int argc, char *const *argv, const char *wanted)
{
    struct t2_strs args = {0};
    struct t2_buf text = {0};

    assert_int_equal(tr_join_hp_flags(argc, argv, &args, &err), T2_OK);
    assert_string_equal(args.items[0], "t");
    for (size_t i = 1; i < args.n; i++)
        t2_buf_printf(&text, "%s\n", args.items[i]);
    assert_string_equal(t2_buf_cstr(&text), wanted);
    t2_buf_release(&text);
    t2_strs_release(&args);
}

static void test_join(void **state)
{
    (void) state;
    check(2, (char *[]){"t", "--problem=x"}, "--problem=x\n");
    check(4, (char *[]){"t", "--hp_batch_size", "64", "rest"}, "--hparams=batch_size=64\nrest\n");
    check(6, (char *[]){"t", "--hparams=a=1", "--hp_b", "2", "--hp_c=3", "--quiet"},
          "--hparams=a=1,b=2,c=3\n--quiet\n");
    check(6, (char *[]){"t", "--hp_b", "2", "--hparams", "a=1", "--hparams_set=s"},
          "--hparams=a=1,b=2\n--hparams_set=s\n");
    check(4, (char *[]){"t", "--", "--hp_b", "2"}, "--\n--hp_b\n2\n");
}

static void test_wrong(void **state)
{
    static char *const wrong[][2] = {{"t", "--hp_b"}, {"t", "--hp_=3"}};

    (void) state;
    for (size_t i = 0; i < 2; i++) {
        struct t2_strs args = {0};

        assert_int_equal(tr_join_hp_flags(2, wrong[i], &args, &err), T2_EUSAGE);
        t_assert_contains(err.message, "--hp_NAME VALUE");
        t2_strs_release(&args);
    }
}

T_MAIN(cmocka_unit_test(test_join), cmocka_unit_test(test_wrong))
