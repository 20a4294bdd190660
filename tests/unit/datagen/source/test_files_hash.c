/*
 * test_files_hash.c - one hash over pieces is that of the whole.
 */
#include "datagen/source/files_hash.h"

#include "tests/support/t.h"

static void test_hash(void **state)
{
    struct dg_files_hash h = {.n_bytes = 0};
    struct dg_input_files files = {.n = 0};

    (void) state;
    dg_files_hash_add(&h, t2_slice_of("before the start"));
    dg_files_hash_note(&h, "x", "parts", 1, &files);
    assert_int_equal(files.n, 0);
    dg_files_hash_start(&h);
    dg_files_hash_add(&h, t2_slice_of("a"));
    dg_files_hash_add(&h, t2_slice_of("bc"));
    dg_files_hash_note(&h, "folder", "parts", 2, &files);
    dg_files_hash_note(&h, "folder", "parts", 2, &files);
    assert_int_equal(files.n, 1);
    assert_string_equal(files.items[0].path, "folder");
    assert_int_equal(files.items[0].bytes, 3);
    assert_int_equal(files.items[0].lines, 2);
    assert_string_equal(files.items[0].sha256,
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    dg_files_hash_release(&h);
    dg_input_files_release(&files);
}

T_MAIN(cmocka_unit_test(test_hash))
