/*
 * tests/ops/test_table.c - the kernel tables of the CPU variants: which one the device uses.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"

#define DECLARE(name, cpu) extern const struct dev_kernels dev_cpu_kernels_##name;
T2_CPU_EACH(DECLARE)
#undef DECLARE

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
#define CHECK(name, cpu) check_full(&dev_cpu_kernels_##name);
    T2_CPU_EACH(CHECK)
}

/* T2_CPU, which `make check-generic` sets, decides; all that these tests say is about that
 * table. */
static void test_device_uses_the_variant(void **state)
{
    const struct dev_kernels *expected = &dev_cpu_kernels_generic;
    const char *asked = getenv("T2_CPU");

    (void) state;
#define EXPECT(name, cpu)                                                                          \
    if (t2_cpu_variant() == cpu)                                                                   \
        expected = &dev_cpu_kernels_##name;
    T2_CPU_EACH(EXPECT)
    assert_ptr_equal(op_device("cpu", 1)->kernels, expected);
    t_assert_contains(op_device("cpu", 1)->describe(op_device("cpu", 1)),
                      t2_cpu_name(t2_cpu_variant()));
    if (asked && strcmp(asked, "generic") == 0)
        assert_ptr_equal(expected, &dev_cpu_kernels_generic);
}

T_MAIN(cmocka_unit_test(test_tables_are_full), cmocka_unit_test(test_device_uses_the_variant))
