#include "base/subcommands.h"

#include "tests/support/t.h"

static int n_calls;
static int last_argc;
static const char *last_argument;

static enum t2_status remember(int argc, char **argv, struct t2_err *err)
{
    (void) err;
    n_calls++;
    last_argc = argc;
    last_argument = argv[argc - 1];
    return T2_OK;
}

static enum t2_status find_damage(int argc, char **argv, struct t2_err *err)
{
    (void) argc;
    (void) argv;
    (void) err;
    return T2_EOF;
}

static enum t2_status misuse(int argc, char **argv, struct t2_err *err)
{
    (void) argc;
    (void) argv;
    return t2_fail(err, T2_EUSAGE, "no");
}

static const struct t2_command commands[] = {
    {"remember", "Remembers.", remember},
    {"damage", "Finds damage.", find_damage},
    {"misuse", "Is misused.", misuse},
};
static const struct t2_listed_command list[] = {
    {"Good", NULL},       {NULL, &commands[0]}, {"Bad", NULL},
    {NULL, &commands[1]}, {NULL, &commands[2]}, {NULL, NULL},
};
static const struct t2_command_tool tool = {
    .name = "tool",
    .summary = "Does things.",
    .usage = "[flags] THING...",
    .notes = "A THING is anything.\n",
    .examples = "  tool remember x\n",
    .commands = list,
};

static int call(int argc, const char *a, const char *b, const char *c)
{
    char *argv[5] = {(char *) (uintptr_t) "tool", (char *) (uintptr_t) a, (char *) (uintptr_t) b,
                     (char *) (uintptr_t) c, NULL};

    return t2_commands_main(&tool, argc, argv);
}

static void test_find(void **state)
{
    (void) state;
    assert_ptr_equal(t2_find_command(list, "damage"), &commands[1]);
    assert_null(t2_find_command(list, "Good")); /* a heading */
    assert_null(t2_find_command(list, ""));
}

static void test_exit_codes(void **state)
{
    (void) state;
    assert_int_equal(call(3, "remember", "x", NULL), 0);
    assert_int_equal(n_calls, 1);
    assert_int_equal(last_argc, 2);
    assert_string_equal(last_argument, "x");
    assert_int_equal(call(2, "damage", NULL, NULL), 1);
    assert_int_equal(call(2, "misuse", NULL, NULL), 2);
    assert_int_equal(call(1, NULL, NULL, NULL), 2);
    assert_int_equal(call(2, "remembr", NULL, NULL), 2);
    assert_int_equal(call(3, "help", "remembr", NULL), 2);
    assert_int_equal(n_calls, 1);
}

static void test_help(void **state)
{
    (void) state;
    assert_int_equal(call(3, "help", "remember", NULL), 0); /* the command's own help */
    assert_string_equal(last_argument, "--help");
    assert_int_equal(call(3, "--help", "remember", NULL), 0);
    assert_int_equal(n_calls, 3);
    assert_int_equal(call(2, "--help", NULL, NULL), 0);
    assert_int_equal(call(2, "--version", NULL, NULL), 0);
    assert_int_equal(n_calls, 3);
}

T_MAIN(cmocka_unit_test(test_find), cmocka_unit_test(test_exit_codes), cmocka_unit_test(test_help))
