/*
 * tests/unit/base/test_cpu.c - T2_CPU lowers the variant and never raises it.
 */
#include "base/cpu.h"

#include <stdlib.h>

#include "tests/unit/base/in_child.h"

static void exit_with_variant(void *spec)
{
    if (spec)
        setenv("T2_CPU", spec, 1);
    else
        unsetenv("T2_CPU");
    exit((int) t2_cpu_variant());
}

static void exit_with_tiles(void *spec)
{
    if (spec)
        setenv("T2_CPU", spec, 1);
    else
        unsetenv("T2_CPU");
    exit(t2_cpu_has_tiles() ? 1 : 0);
}

static void exit_with_changed(void *arg)
{
    enum t2_cpu first = t2_cpu_variant();

    (void) arg;
    setenv("T2_CPU", "generic", 1);
    exit(first == t2_cpu_variant() ? 0 : 1);
}

static void test_levels(void **state)
{
    int best = child_run(exit_with_variant, NULL)->exit_code;
    char generic[] = "generic", avx2[] = "avx2", avx512[] = "avx512", neon[] = "neon", empty[] = "";

    (void) state;
    assert_in_range(best, T2_CPU_GENERIC, T2_CPU_AVX512);
    assert_int_equal(child_run(exit_with_variant, generic)->exit_code, T2_CPU_GENERIC);
    /* what another architecture has changes nothing */
    assert_int_equal(child_run(exit_with_variant, avx2)->exit_code,
                     best < T2_CPU_AVX2 ? best : T2_CPU_AVX2);
    assert_int_equal(child_run(exit_with_variant, avx512)->exit_code, best);
    assert_int_equal(child_run(exit_with_variant, neon)->exit_code, best);
    assert_int_equal(child_run(exit_with_variant, empty)->exit_code, best);
}

/* Only with AVX-512. */
static void test_tiles(void **state)
{
    int best = child_run(exit_with_variant, NULL)->exit_code;
    int tiles = child_run(exit_with_tiles, NULL)->exit_code;
    char avx2[] = "avx2";

    (void) state;
    assert_true(tiles == 0 || best == T2_CPU_AVX512);
    assert_int_equal(child_run(exit_with_tiles, avx2)->exit_code, 0);
}

static void test_unknown_level_warns(void **state)
{
    char spec[] = "sse9";

    (void) state;
#ifdef __aarch64__
    char other[] = "avx2";

    t_assert_contains(child_run(exit_with_variant, spec)->err,
                      "warning: T2_CPU='sse9' is not generic or neon; using ");
#else
    char other[] = "neon";

    t_assert_contains(child_run(exit_with_variant, spec)->err,
                      "warning: T2_CPU='sse9' is not generic, avx2 or avx512; using ");
#endif
    t_assert_contains(child_run(exit_with_variant, other)->err, "' is not generic");
}

static void test_does_not_change(void **state)
{
    (void) state;
    assert_int_equal(child_run(exit_with_changed, NULL)->exit_code, 0);
}

static void test_names(void **state)
{
    (void) state;
    assert_string_equal(t2_cpu_name(T2_CPU_GENERIC), "generic");
    assert_string_equal(t2_cpu_name(T2_CPU_NEON), "neon");
    assert_string_equal(t2_cpu_name(T2_CPU_AVX2), "avx2");
    assert_string_equal(t2_cpu_name(T2_CPU_AVX512), "avx512");
    assert_string_equal(t2_cpu_name((enum t2_cpu) 9), "?");
}

T_MAIN(cmocka_unit_test(test_levels), cmocka_unit_test(test_tiles),
       cmocka_unit_test(test_unknown_level_warns), cmocka_unit_test(test_does_not_change),
       cmocka_unit_test(test_names))
