/*
 * tests/unit/base/test_run_tool.c - exit codes and messages of a tool's main().
 */
#include "base/run_tool.h"

#include <fcntl.h>

#include "tests/unit/base/in_child.h"

static int64_t number;
static const struct t2_flag table[] = {{"number", T2_FLAG_INT, &number, NULL, "A number.", NULL}};
static const struct t2_tool tool = {.name = "tool",
                                    .summary = "Does a thing.",
                                    .flags = table,
                                    .n_flags = 1};

/* --number says how it ends. */
static enum t2_status work(struct t2_err *err)
{
    printf("did %d\n", (int) number);
    if (number == 1)
        return T2_EOF;
    return number == 2 ? t2_fail(err, T2_EIO, "no disk") : T2_OK;
}

static void call(void *argument)
{
    char *argv[] = {(char *) (uintptr_t) "tool", argument, NULL};

    exit(t2_run_tool(&tool, argument ? 2 : 1, argv, work));
}

static void call_on_full_disk(void *argument)
{
    int full = open("/dev/full", O_WRONLY);

    dup2(full, STDOUT_FILENO);
    call(argument);
}

static void check(void (*fn)(void *), const char *argument, int code, const char *out,
                  const char *message)
{
    const struct child *c = child_run(fn, (void *) (uintptr_t) argument);

    assert_int_equal(c->exit_code, code);
    assert_string_equal(c->out, out);
    assert_string_equal(c->err, message);
}

static void test_ends(void **state)
{
    (void) state;
    check(call, NULL, 0, "did 0\n", "");
    check(call, "--number=7", 0, "did 7\n", "");
    check(call, "--number=1", 1, "did 1\n", "");
    check(call, "--number=2", 1, "did 2\n", "tool: error: no disk\n");
}

static void test_misused(void **state)
{
    (void) state;
    check(call, "more", 2, "", "tool: error: unexpected argument 'more'\n");
    assert_int_equal(child_run(call, (void *) (uintptr_t) "--numbr=1")->exit_code, 2);
}

static void test_full_disk(void **state)
{
    (void) state;
    check(call_on_full_disk, NULL, 1, "", "tool: error: cannot write to stdout\n");
    check(call_on_full_disk, "--number=1", 1, "", "tool: error: cannot write to stdout\n");
    check(call_on_full_disk, "--number=2", 1, "", "tool: error: no disk\n");
}

T_MAIN(cmocka_unit_test(test_ends), cmocka_unit_test(test_misused),
       cmocka_unit_test(test_full_disk))
