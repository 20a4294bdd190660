/*
 * tests/unit/base/test_run_program.c - processes that succeed, fail, are killed and are not there.
 */
#include "base/run_program.h"

#include <sys/stat.h>

#include "base/file.h"
#include "tests/support/t.h"

static enum t2_status run(const char *script, bool stdout_to_stderr, struct t2_err *err)
{
    struct t2_strs argv = {0};
    enum t2_status st;

    t2_strs_push(&argv, "sh");
    t2_strs_push(&argv, "-c");
    t2_strs_push(&argv, script);
    st = t2_run_program(&argv, stdout_to_stderr, err);
    t2_strs_release(&argv);
    return st;
}

static void test_ends(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(run("exit 0", false, &err), T2_OK);
    assert_int_equal(run("exit 3", false, &err), T2_EFORMAT);
    t_assert_contains(err.message, "sh failed, see above (its exit code is 3)");
    assert_int_equal(run("kill -9 $$", false, &err), T2_EFORMAT);
    t_assert_contains(err.message, "sh was ended by signal 9");
    /* what a shell says of a program that is not there is the shell's own end */
    assert_int_equal(run("exit 127", false, &err), T2_EFORMAT);
    t_assert_contains(err.message, "sh failed, see above (its exit code is 127)");
}

/* With the flag both names are one file, else two. */
static void test_stdout(void **state)
{
    static const char same[] = "[ /proc/self/fd/1 -ef /proc/self/fd/2 ]";
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(run("exec 2>/dev/null; [ ! /dev/stdout -ef /dev/stderr ]", false, &err),
                     T2_OK);
    assert_int_equal(run(same, true, &err), T2_OK);
}

static void test_is_not_there(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs argv = {0};

    (void) state;
    t2_strs_push(&argv, "no/such/program");
    assert_int_not_equal(t2_run_program(&argv, false, &err), T2_OK);
    t_assert_contains(err.message, "cannot start 'no/such/program'");
    t2_strs_release(&argv);
}

/* A file that may be run, of a program that is not there. */
static void test_its_interpreter_is_not_there(void **state)
{
    static const char text[] = "#!/no/such/interpreter\n";
    const char *path = t_tmp_path("script");
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs argv = {0};

    (void) state;
    assert_int_equal(t2_write_file(path, text, sizeof text - 1, &err), T2_OK);
    assert_int_equal(chmod(path, 0755), 0);
    t2_strs_push(&argv, path);
    assert_int_equal(t2_run_program(&argv, false, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "cannot start '");
    t2_strs_release(&argv);
}

T_MAIN(cmocka_unit_test(test_ends), cmocka_unit_test(test_stdout),
       cmocka_unit_test(test_is_not_there), cmocka_unit_test(test_its_interpreter_is_not_there))
