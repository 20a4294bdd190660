/*
 * test_algebra_inverse.c - the equations that T2T 1.15.7 draws after random.seed(429459).
 */
#include "datagen/problems/algebra_inverse.h"

#include "base/gzip.h"
#include "tests/support/t.h"

enum { SEED = 429459, N_CASES = 500 };

static void print_cases(struct t2_mt *mt, int min_depth, int max_depth, struct t2_buf *text)
{
    struct t2_buf equation = {0}, answer = {0};

    for (int i = 0; i < N_CASES; i++) {
        dg_algebra_draw(mt, min_depth, max_depth, &equation, &answer);
        t2_buf_printf(text, "%s|%s\n", t2_buf_cstr(&equation), t2_buf_cstr(&answer));
    }
    t2_buf_release(&equation);
    t2_buf_release(&answer);
}

static void test_equations(void **state)
{
    static const char first[] = "w:m=a+w|m-a\nb:f*b=n|n/f\nu:u=x/r-y*i|x/r-y*i\n";
    struct t2_buf text = {0};
    struct t2_mt mt;

    (void) state;
    t2_mt_seed_python(&mt, SEED);
    print_cases(&mt, 0, 2, &text);
    assert_memory_equal(text.data, first, sizeof first - 1);
    assert_int_equal(t2_crc32(0, text.data, text.len_bytes), 0x9aecaea2);
    print_cases(&mt, 3, 3, &text);
    t_assert_contains(t2_buf_cstr(&text), "\ng:j/(k*r)*(r-z)=(m-z-u)/g|(m-z-u)/(j/(k*r)*(r-z))\n");
    assert_int_equal(t2_crc32(0, text.data, text.len_bytes), 0x29f7e3b7);
    t2_buf_release(&text);
}

static void test_symbols(void **state)
{
    (void) state;
    assert_int_equal(dg_algebra_symbol('_'), 0);
    assert_int_equal(dg_algebra_symbol(':'), 1);
    assert_int_equal(dg_algebra_symbol('/'), 8);
    assert_int_equal(dg_algebra_symbol('a'), 9);
    assert_int_equal(dg_algebra_symbol('z'), DG_ALGEBRA_SYMBOLS - 1);
    assert_int_equal(dg_algebra_symbol('\0'), 0);
    assert_int_equal(dg_algebra_symbol('A'), 0);
}

T_MAIN(cmocka_unit_test(test_equations), cmocka_unit_test(test_symbols))
