/*
 * test_comm_one.c - the transport of a process alone.
 */
#include "tests/support/t.h"
#include "train/dist/comm.h"

static void test_alone(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct dist *d = NULL;
    struct dist_comm comm;
    int64_t least = 0;
    int x = 5, all = 0;

    (void) state;
    dist_comm_one(&comm);
    assert_int_equal(dist_new(&comm, "here", &d, &err), T2_OK);
    assert_int_equal(dist_rank(d), 0);
    assert_int_equal(dist_size(d), 1);
    assert_int_equal(d->n_here, 1);
    assert_string_equal(d->hosts[0], "here");
    assert_int_equal(dist_barrier(d, &err), T2_OK);
    assert_int_equal(dist_all_gather(d, &x, sizeof x, &all, &err), T2_OK);
    assert_int_equal(all, 5);
    assert_int_equal(dist_broadcast(d, &x, sizeof x, 0, &err), T2_OK);
    assert_int_equal(dist_least(d, 7, &least, &err), T2_OK);
    assert_int_equal(least, 7);
    assert_int_equal(dist_same_lines(d, "a\n", &err), T2_OK);
    assert_int_equal(dist_agree(d, t2_fail(&err, T2_EIO, "full"), &err), T2_EIO);
    assert_string_equal(err.message, "full"); /* nobody asks which rank */
    dist_abort(d);
    dist_close(d);
    dist_close(NULL);
}

T_MAIN(cmocka_unit_test(test_alone))
