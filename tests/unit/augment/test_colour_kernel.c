/* test_colour_kernel.c - every CPU variant gives the bits of plain C, and reads no further than it
 * says. */
#include <stdlib.h>
#include <string.h>

#include "augment/colour_kernel.h"
#include "base/cpu.h"
#include "tests/support/t.h"

enum { N = 333 };

static const struct aug_colour_kernel *variants[2];

static int find_variants(void)
{
    int n = 0;
#define ADD(name, cpu)                                                                             \
    if (cpu != T2_CPU_GENERIC && t2_cpu_variant() >= cpu)                                          \
        variants[n++] = &aug_colour_kernel_##name;
    T2_CPU_EACH(ADD)
    return n;
}

static void run(const struct aug_colour_kernel *k, size_t n, size_t c, int which, float *x,
                uint8_t *bytes)
{
    float sub[AUG_PERIOD], mul[AUG_PERIOD], other[N];

    t_fill(other, 8, 1);
    aug_repeat(other, c, sub);
    aug_repeat(other + 4, c, mul);
    t_fill(other, N, 3);
    if (which == 0)
        k->normalize(x, n, sub, mul);
    else if (which == 1)
        k->spread(x, n, sub, mul[0]);
    else if (which == 2)
        k->shift(x, n, mul[1]);
    else if (which == 3)
        k->fold(x, other, n);
    else if (which == 5)
        k->divide(x, n, sub, mul);
    else if (which == 8)
        k->from_bytes((const uint8_t *) other, n, 1 / 255.0f, x);
    else if (which >= 6)
        k->planes(other, n / 3, which == 7, (float *[]){x, x + n / 3, x + n / 3 * 2});
    else
        k->to_bytes(x, n, 300.0f, bytes);
}

static void test_variants(void **state)
{
    int n_variants = find_variants();
    (void) state;

    if (n_variants == 0)
        t_skip("no other CPU variant runs here");
    for (size_t n = 0; n < N; n = n < 60 ? n + 1 : n + 91)
        for (size_t c = 1; c <= 4; c++)
            for (int which = 0; which < 9; which++)
                for (int v = 0; v < n_variants; v++) {
                    float *a = t_guarded_alloc(n * 4 + 4), *b = t_guarded_alloc(n * 4 + 4);
                    uint8_t *p = t_guarded_alloc(n + 1), *q = t_guarded_alloc(n + 1);
                    t_fill(a + 1, n, n);
                    memcpy(b + 1, a + 1, n * 4);
                    memset(p, 0, n + 1);
                    memset(q, 0, n + 1);
                    run(&aug_colour_kernel_generic, n, c, which, a + 1, p + 1);
                    run(variants[v], n, c, which, b + 1, q + 1);
                    assert_memory_equal(a + 1, b + 1, n * 4);
                    assert_memory_equal(p, q, n + 1);
                    t_guarded_free(a, n * 4 + 4);
                    t_guarded_free(b, n * 4 + 4);
                    t_guarded_free(p, n + 1);
                    t_guarded_free(q, n + 1);
                }
}

static uint32_t bits_of(float x)
{
    uint32_t b;

    memcpy(&b, &x, sizeof b);
    return b;
}

static float float_of(uint32_t b)
{
    float x;

    memcpy(&x, &b, sizeof x);
    return x;
}

static void divide_by(float by, float *x, const float *from, size_t n)
{
    const float zeros[AUG_PERIOD] = {0};
    float all[AUG_PERIOD];

    aug_repeat(&by, 1, all);
    for (int v = 0; v < find_variants(); v++) {
        memcpy(x, from, n * sizeof *x);
        variants[v]->divide(x, n, zeros, all);
        for (size_t i = 0; i < n; i++)
            if (bits_of(x[i]) != bits_of(from[i] / by) &&
                !(x[i] != x[i] && from[i] / by != from[i] / by))
                fail_msg("%a / %a: %a", (double) from[i], (double) by, (double) x[i]);
    }
}

/* The quotient rounded right, also of numbers that are not ordinary.  T_ALL=1: of every
 * mantissa. */
static void test_divide(void **state)
{
    enum { LEN = 48 * 64 };
    static const float by[] = {58.395f, 57.12f, 57.375f, 0.229f,   0.224f,
                               0.225f,  255,    3,       1.5e-30f, 0x1.fffffep3f};
    static const uint32_t odd[] = {0,          0x80000000, 1,          0x80000001, 0x00800000,
                                   0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x2b800000,
                                   0x53800000, 0x33800001, 0x00000777};
    static float from[LEN], x[LEN];
    uint32_t step = getenv("T_ALL") ? 1 : 19;
    (void) state;

    if (find_variants() == 0)
        t_skip("no other CPU variant runs here");
    for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
        for (uint32_t m = 0; m < 1u << 23;) {
            for (size_t i = 0; i < LEN; i++, m += step)
                from[i] =
                    float_of((i & 1) << 31 | (120 + (uint32_t) i % 16) << 23 | (m & 0x7fffff));
            divide_by(by[k], x, from, LEN);
        }
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
            from[48 + i % 48] = float_of(odd[i]);
            divide_by(by[k], x, from, LEN);
        }
    }
}

static void test_values(void **state)
{
    float x[6] = {1, 2, 3, 4, 5, 6};
    float sub[AUG_PERIOD], mul[AUG_PERIOD], two[AUG_PERIOD];
    const float want[6] = {0, 2, 6, 3, 8, 15};
    float y[4] = {-1, 0.5f, 2, 300};
    uint8_t bytes[4];
    (void) state;

    aug_repeat((const float[]){1, 1, 1}, 3, sub);
    aug_repeat((const float[]){1, 2, 3}, 3, mul);
    aug_repeat((const float[]){2}, 1, two);
    aug_colour_kernel_generic.normalize(x, 6, sub, mul);
    assert_memory_equal(x, want, sizeof want);
    aug_colour_kernel_generic.planes(want, 2, 1, (float *[]){x, x + 2, x + 4});
    assert_memory_equal(x, ((const float[]){3, 0, 8, 2, 15, 6}), sizeof x);
    aug_colour_kernel_generic.divide(x, 6, sub, two);
    assert_memory_equal(x, ((const float[]){1, -0.5f, 3.5f, 0.5f, 7, 2.5f}), sizeof x);
    aug_colour_kernel_generic.to_bytes(y, 4, 1, bytes);
    assert_memory_equal(bytes, ((const uint8_t[]){0, 0, 2, 255}), 4);
}

T_MAIN(cmocka_unit_test(test_divide), cmocka_unit_test(test_variants),
       cmocka_unit_test(test_values))
