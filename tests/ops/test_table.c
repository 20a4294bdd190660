/*
 * tests/ops/test_table.c - the kernel tables of the CPU variants: which one the device uses.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"

extern const struct dev_kernels dev_cpu_kernels_generic;
#ifdef T2_HAVE_CPU_avx2
extern const struct dev_kernels dev_cpu_kernels_avx2;
#endif
#ifdef T2_HAVE_CPU_avx512
extern const struct dev_kernels dev_cpu_kernels_avx512;
#endif

static void check_full(const struct dev_kernels *table)
{
    void (*entry[sizeof *table / sizeof(void (*)(void))])(void);

    memcpy(entry, table, sizeof entry);
    for (size_t i = 0; i < sizeof entry / sizeof *entry; i++)
        assert_true(entry[i]);
}

static void test_tables_are_full(void **state)
{
    (void) state;
    check_full(&dev_reference_kernels);
    check_full(&dev_cpu_kernels_generic);
#ifdef T2_HAVE_CPU_avx2
    check_full(&dev_cpu_kernels_avx2);
#endif
#ifdef T2_HAVE_CPU_avx512
    check_full(&dev_cpu_kernels_avx512);
#endif
}

/* T2_CPU, which `make check-generic` sets, decides; all that these tests say is about that
 * table. */
static void test_device_uses_the_variant(void **state)
{
    const struct dev_kernels *expected = &dev_cpu_kernels_generic;
    const char *asked = getenv("T2_CPU");

    (void) state;
#ifdef T2_HAVE_CPU_avx2
    if (t2_cpu_variant() == T2_CPU_AVX2)
        expected = &dev_cpu_kernels_avx2;
#endif
#ifdef T2_HAVE_CPU_avx512
    if (t2_cpu_variant() == T2_CPU_AVX512)
        expected = &dev_cpu_kernels_avx512;
#endif
    assert_ptr_equal(op_device("cpu", 1)->kernels, expected);
    t_assert_contains(op_device("cpu", 1)->describe(op_device("cpu", 1)),
                      t2_cpu_name(t2_cpu_variant()));
    if (asked && strcmp(asked, "generic") == 0)
        assert_ptr_equal(expected, &dev_cpu_kernels_generic);
}

T_MAIN(cmocka_unit_test(test_tables_are_full), cmocka_unit_test(test_device_uses_the_variant))
