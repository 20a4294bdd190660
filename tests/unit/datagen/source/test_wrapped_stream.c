/*
 * test_wrapped_stream.c - what a wrapping stream hands on.
 */
#include "datagen/source/wrapped_stream.h"

#include "tests/unit/datagen/source/sample_list.h"

static void test_hands_on(void **state)
{
    static const char *const texts[] = {"a", "b", NULL};
    struct dg_wrapped w = {0};
    struct dg_sample sample = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_input_sizes sizes = {0};

    (void) state;
    dg_wrapped_init(&w, sample_list_new(texts));
    w.from->drop_blank = true;
    w.base.hash_on = true;
    assert_int_equal(w.base.describe(&w.base, &sizes, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&sizes.text), "    a list\n");
    assert_int_equal(dg_wrapped_next(&w, &sample, &err), T2_OK);
    assert_true(w.base.drop_blank);
    assert_false(w.base.is_clean);
    assert_int_equal(w.base.files.n, 0);
    assert_int_equal(dg_wrapped_next(&w, &sample, &err), T2_EOF);
    assert_int_equal(w.base.files.n, 1);
    assert_string_equal(w.base.files.items[0].path, "list");
    assert_int_equal(w.from->files.n, 0);
    dg_input_files_release(&w.base.files);
    dg_wrapped_release(&w);
    dg_input_sizes_release(&sizes);
}

T_MAIN(cmocka_unit_test(test_hands_on))
