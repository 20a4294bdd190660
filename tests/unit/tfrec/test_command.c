/*
 * What every command begins with: the way out of a damaged input.
 */
#include "tfrec/command.h"

#include <string.h>

#include "tests/support/t.h"

static void assert_explained(enum t2_status st, const char *message, bool explained)
{
    struct t2_err err = T2_ERR_INIT;

    (void) t2_fail(&err, st, "%s", message);
    rec_explain(&err);
    if ((strstr(err.message, "`tfrec salvage`") != NULL) != explained)
        fail_msg("%s", err.message);
}

static void test_explain(void **state)
{
    (void) state;
    assert_explained(T2_EFORMAT, "'x': record 3 at offset 9: data CRC mismatch: stored 1", true);
    assert_explained(T2_EFORMAT, "'x': record 3 at offset 9: file cut short: 3 of", true);
    assert_explained(T2_EFORMAT, "'x': record 3 at offset 9: not an Example", false);
    assert_explained(T2_EFORMAT, "'x' is not a TFRecord file: it has 3 bytes", false);
    assert_explained(T2_EIO, "'x': record 3 at offset 9: data CRC mismatch: stored 1", false);
}

T_MAIN(cmocka_unit_test(test_explain))
