/* test_pickle.c - pickles as data; every cut of one is refused. */
#include "datagen/images/pickle.h"

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/unit/datagen/images/small_pickle.h"

static void test_pickle(void **state)
{
    const struct t2_slice file = {(const uint8_t *) small_pickle, sizeof small_pickle - 1};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf bytes = {NULL, 0, 0};
    struct dg_pickle *p = NULL;
    int64_t *labels;
    size_t rows, columns, n;

    (void) state;
    assert_int_equal(dg_pickle_parse(file, "f", &p, &err), T2_OK);
    assert_int_equal(dg_pickle_matrix(p, "data", &rows, &columns, &bytes, &err), T2_OK);
    assert_int_equal(rows, 2);
    assert_int_equal(columns, 3);
    assert_memory_equal(bytes.data, "abcdef", 6);
    assert_int_equal(dg_pickle_ints(p, "labels", &labels, &n, &err), T2_OK);
    assert_int_equal(n, 2);
    assert_int_equal(labels[0], 3);
    t2_free(labels);
    assert_int_equal(dg_pickle_ints(p, "fine_labels", &labels, &n, &err), T2_EFORMAT);
    assert_int_equal(dg_pickle_matrix(p, "labels", &rows, &columns, &bytes, &err), T2_EFORMAT);
    dg_pickle_free(p);
    for (n = 0; n < file.len_bytes; n++) {
        assert_int_equal(dg_pickle_parse((struct t2_slice){file.data, n}, "f", &p, &err),
                         T2_EFORMAT);
        assert_null(p);
    }
    assert_int_equal(dg_pickle_parse(t2_slice_of("cos\nsystem\n."), "f", &p, &err), T2_EFORMAT);
    t_assert_contains(err.message, "is no dict");
    t2_buf_release(&bytes);
}

T_MAIN(cmocka_unit_test(test_pickle))
