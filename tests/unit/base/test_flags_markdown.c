/*
 * tests/unit/base/test_flags_markdown.c - the text of --help=markdown.
 */
#include "base/flags_help.h"

#include "tests/support/t.h"

static const char *kind = "a|b";
static bool on = true;
static const struct t2_flag rows[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Data", NULL},
    {"kind", T2_FLAG_STRING, &kind, "a|b", "Names such as train-*, <pad>.", NULL},
    {"shuffle", T2_FLAG_BOOL, &on, NULL, "Mix.", NULL},
};
static const struct t2_foreign foreign[] = {
    {"tpu", false, NULL, "there is none"},
    {"shuffle", true, NULL, "it has a row"},
    {"sync", true, "false", "run one"},
    {NULL, false, NULL, NULL},
};
static const struct t2_foreign more[] = {
    {"tpu", false, "", "hidden by the first list"},
    {NULL, false, NULL, NULL},
};

static void add(struct t2_buf *out)
{
    t2_buf_puts(out, "\nThe end.\n");
}

static void test_section(void **state)
{
    const struct t2_tool tool = {.name = "tool",
                                 .summary = "Does something.",
                                 .flags = rows,
                                 .n_flags = sizeof rows / sizeof *rows,
                                 .foreign = {foreign, more},
                                 .more = add};
    struct t2_buf text = {0};

    (void) state;
    t2_flags_markdown(&tool, &text);
    assert_string_equal(t2_buf_cstr(&text),
                        "## tool\n\n"
                        "| flag | Does something. |\n"
                        "|---|---|\n"
                        "| **Data** | |\n"
                        "| --kind=a\\|b | Names such as train-\\*, \\<pad>. [a\\|b] |\n"
                        "| --[no]shuffle | Mix. [true] |\n"
                        "\n| passed over | because |\n|---|---|\n"
                        "| --tpu | there is none |\n"
                        "\n| refused | but for | instead |\n|---|---|---|\n"
                        "| --[no]sync | false | run one |\n"
                        "\nThe end.\n");
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_section))
