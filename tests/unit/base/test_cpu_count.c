/*
 * tests/unit/base/test_cpu_count.c - affinity is respected.
 */
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/pool.h"
#include "tests/unit/base/in_child.h"

static void exit_with_count_on_one_cpu(void *arg)
{
    cpu_set_t all, one;

    (void) arg;
    CPU_ZERO(&all);
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        exit(1);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
            break;
        }
    }
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        exit(77);
    exit(t2_cpu_count() == 1 ? 0 : 2);
}

static void test_count(void **state)
{
    int n = t2_cpu_count();

    (void) state;
    assert_true(n >= 1 && n <= sysconf(_SC_NPROCESSORS_CONF));
    assert_int_equal(t2_cpu_count(), n);
}

static void test_affinity(void **state)
{
    int code = child_run(exit_with_count_on_one_cpu, NULL)->exit_code;

    (void) state;
    if (code == 77)
        t_skip("affinity cannot be set here");
    assert_int_equal(code, 0);
}

T_MAIN(cmocka_unit_test(test_count), cmocka_unit_test(test_affinity))
