/*
 * tests/unit/train/test_cpu_device.c - the cpu device: what it says of itself, its threads.
 */
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "tests/support/t.h"
#include "train/device/cpu/gemm_lib.h"
#include "train/device/devices.h"

static void test_description(void **state)
{
    (void) state;
    for (int num_threads = 1; num_threads <= 3; num_threads++) {
        struct dev *d = dev_cpu_new(num_threads);
        char part[40];

        assert_int_equal(t2_pool_threads(d->pool), num_threads);
        snprintf(part, sizeof part, "%d thread%s,", num_threads, num_threads == 1 ? "" : "s");
        t_assert_contains(d->describe(d), part);
        t_assert_contains(d->describe(d), t2_cpu_name(t2_cpu_variant()));
        t_assert_contains(d->describe(d), dev_cpu_gemm_lib()->name);
        t_assert_contains(d->describe(d), dev_cpu_gemm_missing());
        assert_null(strstr(d->describe(d), "bfloat16"));
        d->precision = DEV_BFLOAT16;
        t_assert_contains(d->describe(d), dev_cpu_gemm_lib()->bf16);
        assert_true(d->host_memory);
        dev_close(d);
    }
}

static void test_all_cpus(void **state)
{
    struct dev *d = dev_cpu_new(0);

    (void) state;
    assert_int_equal(t2_pool_threads(d->pool), t2_cpu_count());
    dev_close(d);
}

T_MAIN(cmocka_unit_test(test_description), cmocka_unit_test(test_all_cpus))
