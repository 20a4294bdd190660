/*
 * test_task_share.c - whose shards, from flags and from mpirun.
 */
#include "datagen/shards/task_share.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "tests/support/t.h"

static void test_every_shard_has_one_owner(void **state)
{
    (void) state;
    for (int n = 1; n <= 9; n++) {
        for (size_t shard = 0; shard < 30; shard++) {
            int owners = 0;
            for (int i = 0; i < n; i++) {
                struct dg_task_share t = {i, i + 1, n};
                owners += dg_owns_shard(&t, shard);
            }
            assert_int_equal(owners, 1);
        }
    }
    assert_true(dg_owns_shard(&(struct dg_task_share){0, 0, 0}, 7));
    assert_true(dg_owns_shard(&(struct dg_task_share){2, 5, 9}, 13));
    assert_false(dg_owns_shard(&(struct dg_task_share){2, 5, 9}, 14));
}

static void test_parse(void **state)
{
    static const char *const bad[] = {"", "1", "1/", "/2", "2/2", "-1/2", "0/0", "a/b", "0/1/2"};
    struct dg_task_share t;
    struct t2_err err = T2_ERR_INIT;
    char *file;

    (void) state;
    assert_int_equal(dg_task_parse("2/8", &t, &err), T2_OK);
    assert_int_equal(t.first, 2);
    assert_int_equal(t.end, 3);
    assert_int_equal(t.n, 8);
    file = dg_part_file("x", &t);
    assert_string_equal(file, "x.part-00002-00003-of-00008.json");
    t2_free(file);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(dg_task_parse(bad[i], &t, &err), T2_EUSAGE);
}

static void test_mpirun(void **state)
{
    struct dg_task_share t;

    (void) state;
    unsetenv("OMPI_COMM_WORLD_RANK");
    unsetenv("PMI_RANK");
    assert_false(dg_task_of_mpirun(&t));
    assert_int_equal(t.n, 0);
    setenv("PMI_RANK", "1", 1);
    setenv("PMI_SIZE", "3", 1);
    assert_true(dg_task_of_mpirun(&t));
    assert_int_equal(t.first, 1);
    assert_int_equal(t.n, 3);
    setenv("PMI_RANK", "0", 1);
    setenv("PMI_SIZE", "1", 1);
    assert_false(dg_task_of_mpirun(&t));
}

T_MAIN(cmocka_unit_test(test_every_shard_has_one_owner), cmocka_unit_test(test_parse),
       cmocka_unit_test(test_mpirun))
