/*
 * tests/unit/base/test_flags_foreign.c - flags of the originals without a row: passed over, taken
 * with a value that changes nothing, refused.
 */
#include "base/flags_foreign.h"

#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "tests/support/t.h"

static const char *model; /* borrowed from arguments that are gone */
static bool estimator;
static const struct t2_flag rows[] = {
    {"model", T2_FLAG_STRING, &model, NULL, "", NULL},
    {"use_tpu_estimator", T2_FLAG_BOOL, &estimator, NULL, "", NULL},
};
static const struct t2_foreign first[] = {
    {"iterations_per_loop", false, NULL, "first"},
    {"minimize", true, "true", "do otherwise"},
    {NULL, false, NULL, NULL},
};
static const struct t2_foreign second[] = {
    {"iterations_per_loop", false, "", "second"},
    {"xla_compile", true, NULL, "kernels are"},
    {"worker_gpu", false, "0 1", "use one"},
    {"rate", false, "0.1", "no rate"},
    {"warm_start_from", false, "", "continue"},
    {"use_tpu_estimator", true, "false", "it has a row"},
    {NULL, false, NULL, NULL},
};
static const struct t2_tool tool = {
    .name = "x", .summary = "Tests.", .flags = rows, .n_flags = 2, .foreign = {first, second}};

/* What is left of the arguments, joined by blanks; or the message. */
static void expect(enum t2_status status, const char *expected, size_t n, const char *const *args)
{
    char *argv[16] = {t2_strdup("x")};
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs rest = {0};
    struct t2_buf text = {0};

    t2_log_set_level(T2_LOG_ERROR);
    for (size_t i = 0; i < n; i++)
        argv[i + 1] = t2_strdup(args[i]);
    assert_int_equal(t2_flags_parse(&tool, (int) n + 1, argv, &rest, &err), status);
    for (size_t i = 0; i < rest.n; i++)
        t2_buf_printf(&text, "%s%s", i > 0 ? " " : "", rest.items[i]);
    if (status == T2_OK)
        assert_string_equal(t2_buf_cstr(&text), expected);
    else
        t_assert_contains(err.message, expected);
    t2_strs_release(&rest);
    t2_buf_release(&text);
    for (size_t i = 0; i <= n; i++)
        t2_free(argv[i]);
}

#define EXPECT(status, expected, ...)                                                              \
    expect(status, expected, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),               \
           (const char *[]){__VA_ARGS__})

static void test_on_the_command_line(void **state)
{
    (void) state;
    EXPECT(T2_OK, "rest", "--model=m", "--xla_compile", "--iterations-per-loop=8", "rest");
    EXPECT(T2_OK, "3", "--iterations_per_loop", "100", "3");
    EXPECT(T2_OK, "", "--iterations_per_loop", "--model=y"); /* without a value */
    EXPECT(T2_OK, "", "--noxla_compile", "-xla_compile=false", "--noxla-compile");
    EXPECT(T2_OK, "", "--worker_gpu=1", "--worker_gpu=0", "--minimize", "--minimize=1");
    EXPECT(T2_OK, "", "--rate=0.10", "--warm_start_from=", "--warm_start_from=None");
    EXPECT(T2_OK, "--xla_compile", "--", "--xla_compile");
    EXPECT(T2_OK, "", "--use_tpu_estimator");
    assert_true(estimator);
    EXPECT(T2_EUNSUPPORTED, "--worker_gpu=8 is not supported: use one", "--worker_gpu=8");
    EXPECT(T2_EUNSUPPORTED, "--minimize=false is not supported: do otherwise", "--nominimize");
    EXPECT(T2_EUNSUPPORTED, "--rate=0.2 is", "--rate", "0.2");
    EXPECT(T2_EUNSUPPORTED, "--warm_start_from=x is", "--warm_start_from", "x");
    EXPECT(T2_EUSAGE, "did you mean '--xla_compile'?", "--xla_compiled");
    EXPECT(T2_EUSAGE, "unknown flag '--norate'", "--norate=3");
}

static void test_both_lists(void **state)
{
    bool negated;

    (void) state;
    assert_int_equal(t2_foreign_count(&tool), 8);
    assert_string_equal(t2_foreign_at(&tool, 2)->why, "second");
    assert_string_equal(t2_foreign_find(&tool, "iterations_per_loop", 19, &negated)->why, "first");
    assert_null(t2_foreign_find(&tool, "nothing", 7, &negated));
    assert_null(t2_foreign_find(&tool, "no", 2, &negated));
}

T_MAIN(cmocka_unit_test(test_on_the_command_line), cmocka_unit_test(test_both_lists))
