/*
 * tests/unit/datagen/problem_files/test_file_memory.c - zeroed, kept, released (the sanitizers
 * see what is not).
 */
#include "datagen/problem_files/file_memory.h"

#include "base/alloc.h"
#include "tests/support/t.h"

static void test_memory(void **state)
{
    struct dg_file_memory m = {0};

    (void) state;
    for (size_t i = 0; i < 200; i++) {
        int *zeros = dg_file_alloc(&m, 3, sizeof *zeros);
        assert_int_equal(zeros[0] | zeros[1] | zeros[2], 0);
        zeros[2] = 1;
        assert_string_equal(dg_file_keep(&m, t2_strdup("kept")), "kept");
    }
    assert_int_equal(m.n, 400);
    dg_file_memory_release(&m);
    assert_int_equal(m.n, 0);
    dg_file_memory_release(&m);
}

T_MAIN(cmocka_unit_test(test_memory))
