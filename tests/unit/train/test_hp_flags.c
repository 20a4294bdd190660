/*
 * Tests of train/runs/hp_flags.c.
 */
#include "train/runs/hp_flags.h"

#include <string.h>

#include "base/buf.h"
#include "tests/support/t.h"

static struct t2_err err;

/* The words of a line are the arguments; *args gets what they become. */
static enum t2_status join(const char *line, struct t2_strs *args)
{
    struct t2_strs argv = {0};
    enum t2_status st;

    for (const char *at = line; *at != '\0'; at += strspn(at, " ")) {
        t2_strs_printf(&argv, "%.*s", (int) strcspn(at, " "), at);
        at += strcspn(at, " ");
    }
    st = tr_join_hp_flags((int) argv.n, argv.items, args, &err);
    t2_strs_release(&argv);
    return st;
}

static void check(const char *line, const char *wanted)
{
    struct t2_strs args = {0};
    struct t2_buf text = {0};

    assert_int_equal(join(line, &args), T2_OK);
    for (size_t i = 0; i < args.n; i++)
        t2_buf_printf(&text, "%s%s", i > 0 ? " " : "", args.items[i]);
    assert_string_equal(t2_buf_cstr(&text), wanted);
    t2_buf_release(&text);
    t2_strs_release(&args);
}

static void test_join(void **state)
{
    (void) state;
    check("t --problem=x", "t --problem=x");
    check("t --hp_batch_size 64 rest", "t --hparams=batch_size=64 rest");
    check("t --hparams=a=1 --hp_b 2 --hp_c=3 --quiet", "t --hparams=a=1,b=2,c=3 --quiet");
    check("t --hp_b 2 --hparams a=1 --hparams_set=s", "t --hparams=a=1,b=2 --hparams_set=s");
    check("t -- --hp_b 2", "t -- --hp_b 2");
}

static void test_wrong(void **state)
{
    static const char *const wrong[] = {"t --hp_b", "t --hp_=3"};

    (void) state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct t2_strs args = {0};

        assert_int_equal(join(wrong[i], &args), T2_EUSAGE);
        t_assert_contains(err.message, "--hp_NAME VALUE");
        t2_strs_release(&args);
    }
}

T_MAIN(cmocka_unit_test(test_join), cmocka_unit_test(test_wrong))
