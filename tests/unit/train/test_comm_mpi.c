/*
 * test_comm_mpi.c - whether launchers have started several processes.  What these then do is tested
 * by tests/e2e/train_ranks*.sh.
 */
#include <stdlib.h>

#include "tests/support/t.h"
#include "train/dist/comm.h"

static void forget(void)
{
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("PMI_SIZE");
    unsetenv("SLURM_STEP_NUM_TASKS");
}

static void expect(const char *name, const char *value, int n)
{
    forget();
    assert_int_equal(setenv(name, value, 1), 0);
    assert_int_equal(dist_mpi_launched(), n);
}

static void test_launched(void **state)
{
    (void) state;
    forget();
    assert_int_equal(dist_mpi_launched(), 1);
    expect("OMPI_COMM_WORLD_SIZE", "4", 4);
    expect("PMI_SIZE", "3", 3);
    expect("SLURM_STEP_NUM_TASKS", "2", 2);
    expect("PMI_SIZE", "x", 1);
    expect("PMI_SIZE", "-2", 1);
    expect("PMI_SIZE", "99999999999", 1);
    /* mpirun inside a job of Slurm: its own number counts */
    expect("SLURM_STEP_NUM_TASKS", "1", 1);
    assert_int_equal(setenv("OMPI_COMM_WORLD_SIZE", "8", 1), 0);
    assert_int_equal(dist_mpi_launched(), 8);
    forget();
}

/* Nothing is loaded for one process. */
static void test_alone(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct dist *d = NULL;

    (void) state;
    forget();
    assert_int_equal(dist_open(20, &d, &err), T2_OK);
    assert_string_equal(d->comm.name, "one process");
    assert_true(d->hosts[0][0] != '\0');
    dist_close(d);
}

T_MAIN(cmocka_unit_test(test_launched), cmocka_unit_test(test_alone))
