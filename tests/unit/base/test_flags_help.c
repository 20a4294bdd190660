/*
 * tests/unit/base/test_flags_help.c - the text of --help, letter by letter.
 */
#include "base/flags_help.h"

#include <string.h>

#include "base/str.h"
#include "tests/support/t.h"

static const char *dir = "/data", *none = NULL, *empty = "";
static int64_t steps = -7;
static double rate = 0.1;
static bool on = true, off = false;
static uint64_t memory = UINT64_C(4) << 30, odd = 1000, zero = 0;

static const struct t2_flag rows[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Data", NULL},
    {"data_dir", T2_FLAG_STRING, &dir, "DIR", "Where the data is.", NULL},
    {"none", T2_FLAG_STRING, &none, NULL, "No default.", NULL},
    {"empty", T2_FLAG_STRING, &empty, NULL, "Empty default.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Training", NULL},
    {"train_steps", T2_FLAG_INT, &steps, NULL,
     "A long sentence that does not fit into one line of eighty columns and so must be wrapped.",
     NULL},
    {"rate", T2_FLAG_DOUBLE, &rate, NULL, "Rate.", NULL},
    {"a_flag_with_a_very_long_name", T2_FLAG_BOOL, &on, NULL, "On.", NULL},
    {"off", T2_FLAG_BOOL, &off, NULL, "Off.", NULL},
    {"max_memory", T2_FLAG_SIZE, &memory, NULL, "Memory.", NULL},
    {"odd", T2_FLAG_SIZE, &odd, NULL, "Odd.", NULL},
    {"zero", T2_FLAG_SIZE, &zero, NULL, "Zero.", NULL},
    {"json", T2_FLAG_OPTION, &none, "SHAPE", "As JSON.", NULL},
    {"shape", T2_FLAG_OPTION, &dir, NULL, "With a default.", NULL},
    {"n", T2_FLAG_INT, &steps, "N", "One letter.", NULL},
    {"quiet", T2_FLAG_BOOL, &off, NULL, "The tool's own.", NULL},
};

static const char expected[] =
    "usage: tool [flags] FILE...\n"
    "\n"
    "Does something.\n"
    "\n"
    "Data:\n"
    "  --data_dir=DIR            Where the data is. [/data]\n"
    "  --none=TEXT               No default.\n"
    "  --empty=TEXT              Empty default.\n"
    "\n"
    "Training:\n"
    "  --train_steps=N           A long sentence that does not fit into one line of\n"
    "                            eighty columns and so must be wrapped. [-7]\n"
    "  --rate=X                  Rate. [0.1]\n"
    "  --[no]a_flag_with_a_very_long_name\n"
    "                            On. [true]\n"
    "  --[no]off                 Off. [false]\n"
    "  --max_memory=SIZE         Memory. [4G]\n"
    "  --odd=SIZE                Odd. [1000]\n"
    "  --zero=SIZE               Zero. [0]\n"
    "  --json[=SHAPE]            As JSON.\n"
    "  --shape[=TEXT]            With a default. [/data]\n"
    "  -n N                      One letter. [-7]\n"
    "  --[no]quiet               The tool's own. [false]\n"
    "\n"
    "every tool:\n"
    "  --help                    Print this text.\n"
    "  --version                 Print version, compiler and built-in features.\n"
    "  --num_threads=N           Threads to use, this one included; 0 = one per CPU\n"
    "                            that is allowed. Also -j N. [0]\n"
    "  --verbosity=LEVEL         error, warning, info or debug; T2_LOG in the\n"
    "                            environment does the same. [info]\n"
    "\n"
    "examples:\n"
    "  tool --data_dir=x y\n"
    "  tool z\n"
    "\n"
    "exit codes: 0 done, 1 failed or not supported, 2 wrong usage, 130 interrupted\n";

static void test_whole_text(void **state)
{
    const struct t2_tool tool = {
        .name = "tool",
        .usage = "[flags] FILE...",
        .summary = "Does something.",
        .examples = "  tool --data_dir=x y\ntool z",
        .flags = rows,
        .n_flags = sizeof rows / sizeof *rows,
    };
    struct t2_buf out = {0};

    (void) state;
    t2_flags_help(&tool, &out);
    assert_string_equal(t2_buf_cstr(&out), expected);
    t2_buf_release(&out);
}

static void test_no_line_is_too_long(void **state)
{
    const char *line = expected;

    (void) state;
    while (*line) {
        size_t n = strcspn(line, "\n");

        assert_true(n <= 80);
        line += n + 1;
    }
}

static void test_without_flags_and_examples(void **state)
{
    const struct t2_tool tool = {.name = "t", .summary = "S."};
    struct t2_buf out = {0};

    (void) state;
    t2_flags_help(&tool, &out);
    assert_true(
        t2_starts_with(t2_buf_cstr(&out), "usage: t [flags]\n\nS.\n\nevery tool:\n  --help "));
    assert_null(strstr(t2_buf_cstr(&out), "examples"));
    t_assert_contains(t2_buf_cstr(&out), "--[no]quiet");
    t2_buf_release(&out);
}

static void test_rows_without_a_group(void **state)
{
    const struct t2_tool tool = {.name = "t", .summary = "S.", .flags = &rows[1], .n_flags = 1};
    struct t2_buf out = {0};

    (void) state;
    t2_flags_help(&tool, &out);
    t_assert_contains(t2_buf_cstr(&out), "S.\n\nflags:\n  --data_dir=DIR ");
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_whole_text), cmocka_unit_test(test_no_line_is_too_long),
       cmocka_unit_test(test_without_flags_and_examples),
       cmocka_unit_test(test_rows_without_a_group))
