/*
 * test_duplicate_marks.c - the second of two equal keys is marked, whatever the memory.
 */
#include "datagen/source/duplicate_marks.h"

#include "base/hash.h"
#include "tests/support/t.h"

static void check(uint64_t max_bytes)
{
    enum { N = 20000, DIFFERENT = 9000 };
    struct t2_err err = T2_ERR_INIT;
    struct dg_marks *m = NULL;

    assert_int_equal(dg_marks_new(t_tmp_path("x"), max_bytes, &m, &err), T2_OK);
    for (uint64_t i = 0; i < N; i++) {
        uint64_t text = i % DIFFERENT;
        const uint64_t key[2] = {t2_hash64(&text, sizeof text, 1),
                                 t2_hash64(&text, sizeof text, 2)};
        dg_marks_add(m, key);
    }
    assert_int_equal(dg_marks_find(m, &err), T2_OK);
    for (uint64_t i = 0; i < N; i++)
        assert_int_equal(dg_marks_was_before(m, i), i >= DIFFERENT);
    assert_false(dg_marks_was_before(m, N));
    dg_marks_free(m);
}

static void test_marks(void **state)
{
    (void) state;
    check(0);
    check(1 << 20);
    check(1000);
    dg_marks_free(NULL);
}

static void test_no_folder(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct dg_marks *m = NULL;

    (void) state;
    assert_int_not_equal(dg_marks_new(t_tmp_path("nowhere/x"), 0, &m, &err), T2_OK);
    assert_null(m);
}

T_MAIN(cmocka_unit_test(test_marks), cmocka_unit_test(test_no_folder))
