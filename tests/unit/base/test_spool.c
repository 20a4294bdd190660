/*
 * tests/unit/base/test_spool.c - bytes come back as they went in, mapped and read, of any size.
 */
#include "base/spool.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tests/support/t.h"

enum { MANY = 300000 };

static void test_read_and_map(void **state)
{
    uint8_t *data = t2_alloc(MANY, 1), *back = t2_alloc(MANY, 1);
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice all;
    struct t2_spool *s;

    (void) state;
    for (size_t i = 0; i < MANY; i++)
        data[i] = (uint8_t) (i * 7 + i / 251);
    for (size_t step = 1; step <= MANY; step = step * 17 + 1) {
        assert_int_equal(t2_spool_new("./x", &s, &err), T2_OK);
        for (size_t at = 0; at < MANY; at += step)
            t2_spool_write(s, data + at, MANY - at < step ? MANY - at : step);
        assert_int_equal(t2_spool_bytes(s), MANY);
        for (int twice = 0; twice < 2; twice++) {
            assert_int_equal(t2_spool_rewind(s, &err), T2_OK);
            for (size_t at = 0; at < MANY; at += 4099)
                assert_int_equal(t2_spool_read(s, back + at, MANY - at < 4099 ? MANY - at : 4099,
                                               &err),
                                 T2_OK);
            assert_memory_equal(data, back, MANY);
        }
        assert_int_equal(t2_spool_map(s, &all, &err), T2_OK);
        assert_int_equal(all.len_bytes, MANY);
        assert_memory_equal(all.data, data, MANY);
        assert_int_equal(t2_spool_read(s, back, MANY, &err), T2_OK);
        assert_int_equal(t2_spool_read(s, back, 1, &err), T2_EIO);
        t2_spool_free(s);
    }
    t2_free(data);
    t2_free(back);
}

static void test_empty_and_refused(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice all;
    struct t2_spool *s;

    (void) state;
    t2_spool_free(NULL);
    assert_int_equal(t2_spool_new("-", &s, &err), T2_OK);
    t2_spool_write(s, NULL, 0);
    assert_int_equal(t2_spool_map(s, &all, &err), T2_OK);
    assert_int_equal(all.len_bytes, 0);
    t2_spool_free(s);
    assert_int_not_equal(t2_spool_new("no-such-folder/x", &s, &err), T2_OK);
    assert_string_equal(
        err.message,
        "cannot create a temporary file in 'no-such-folder': No such file or directory");
}

T_MAIN(cmocka_unit_test(test_read_and_map), cmocka_unit_test(test_empty_and_refused))
