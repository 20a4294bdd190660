/*
 * tests/unit/base/test_err.c - status codes, messages, wrapping, assertions.
 */
#include "base/err.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/base/in_child.h"

static void test_fail_formats(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(t2_fail(&err, T2_EFORMAT, "'%s': record %d", "a.tfrecord", 7), T2_EFORMAT);
    assert_int_equal(err.status, T2_EFORMAT);
    assert_string_equal(err.message, "'a.tfrecord': record 7");
}

static void test_fail_takes_its_own_message(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    (void) t2_fail(&err, T2_EIO, "inner");
    (void) t2_fail(&err, T2_EFORMAT, "outer (%s)", err.message);
    assert_string_equal(err.message, "outer (inner)");
}

static void test_errno(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(t2_fail_errno(&err, EACCES, "cannot open '%s'", "x"), T2_EIO);
    assert_string_equal(err.message, "cannot open 'x': Permission denied");
    assert_int_equal(t2_fail_errno(&err, ENOENT, "cannot open '%s'", "x"), T2_ENOTFOUND);
    assert_int_equal(err.status, T2_ENOTFOUND);
}

static void test_wrap(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    (void) t2_fail(&err, T2_EFORMAT, "bad length");
    assert_int_equal(t2_wrap(&err, "'%s': record %d", "a", 3), T2_EFORMAT);
    assert_string_equal(err.message, "'a': record 3: bad length");
}

static void test_long_message_is_cut(void **state)
{
    static char text[3000];
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    memset(text, 'x', sizeof text - 1);
    (void) t2_fail(&err, T2_EIO, "%s", text);
    assert_int_equal(strlen(err.message), T2_ERR_MESSAGE_BYTES - 1);
    assert_string_equal(err.message + T2_ERR_MESSAGE_BYTES - 6, "xx...");
    (void) t2_wrap(&err, "context");
    assert_int_equal(strlen(err.message), T2_ERR_MESSAGE_BYTES - 1);
    assert_memory_equal(err.message, "context: xx", 11);
}

static void test_cut_keeps_characters_whole(void **state)
{
    static char text[3000];
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t shift = 0; shift < 3; shift++) {
        size_t end;

        memset(text, 'x', shift);
        for (size_t i = shift; i + 3 < sizeof text; i += 3)
            memcpy(text + i, "\xE2\x82\xAC", 4);
        (void) t2_fail(&err, T2_EIO, "%s", text);
        end = strlen(err.message) - 3;
        assert_string_equal(err.message + end, "...");
        assert_int_equal((end - shift) % 3, 0);
    }
}

static enum t2_status try_it(enum t2_status st, int *reached)
{
    T2_TRY(st);
    *reached = 1;
    return T2_OK;
}

static enum t2_status go_it(enum t2_status wanted, int *reached)
{
    enum t2_status st;

    T2_GOTO(st, out, wanted);
    *reached = 1;
out:
    return st;
}

static void test_try_and_goto(void **state)
{
    int reached = 0;

    (void) state;
    assert_int_equal(try_it(T2_EIO, &reached), T2_EIO);
    assert_int_equal(go_it(T2_ENOMEM, &reached), T2_ENOMEM);
    assert_int_equal(reached, 0);
    assert_int_equal(try_it(T2_OK, &reached), T2_OK);
    assert_int_equal(reached, 1);
    reached = 0;
    assert_int_equal(go_it(T2_OK, &reached), T2_OK);
    assert_int_equal(reached, 1);
}

static void test_status_names(void **state)
{
    (void) state;
    assert_string_equal(t2_status_name(T2_OK), "T2_OK");
    assert_string_equal(t2_status_name(T2_EOF), "T2_EOF");
    assert_string_equal(t2_status_name(T2_EUSAGE), "T2_EUSAGE");
    assert_string_equal(t2_status_name(T2_EIO), "T2_EIO");
    assert_string_equal(t2_status_name(T2_EFORMAT), "T2_EFORMAT");
    assert_string_equal(t2_status_name(T2_ENOTFOUND), "T2_ENOTFOUND");
    assert_string_equal(t2_status_name(T2_ENOMEM), "T2_ENOMEM");
    assert_string_equal(t2_status_name(T2_EDEVICE), "T2_EDEVICE");
    assert_string_equal(t2_status_name(T2_EUNSUPPORTED), "T2_EUNSUPPORTED");
    assert_string_equal(t2_status_name(T2_EINTERRUPTED), "T2_EINTERRUPTED");
    assert_string_equal(t2_status_name((enum t2_status) 99), "T2_?");
}

static void assert_two_is_three(void *arg)
{
    int *two = arg;

    T2_ASSERT(*two == 3);
}

static void test_assertion_aborts(void **state)
{
    int two = 2;

    (void) state;
    assert_aborts(assert_two_is_three, &two, "assertion failed: *two == 3");
    two = 3;
    assert_int_equal(child_run(assert_two_is_three, &two)->exit_code, 0);
}

T_MAIN(cmocka_unit_test(test_fail_formats), cmocka_unit_test(test_fail_takes_its_own_message),
       cmocka_unit_test(test_errno), cmocka_unit_test(test_wrap),
       cmocka_unit_test(test_long_message_is_cut),
       cmocka_unit_test(test_cut_keeps_characters_whole), cmocka_unit_test(test_try_and_goto),
       cmocka_unit_test(test_status_names), cmocka_unit_test(test_assertion_aborts))
