/*
 * test_algorithmic_cases.c - the cases that T2T 1.15.7 draws after numpy.random.seed(429459):
 * CRC-32 of the first 200 of each kind, printed as "inputs|targets" lines.
 */
#include "datagen/problems/algorithmic_cases.h"

#include "base/buf.h"
#include "base/gzip.h"
#include "tests/support/t.h"

enum { SEED = 429459, N_CASES = 200 };

static void print_row(struct t2_buf *text, const int64_t *symbols, size_t n)
{
    for (size_t i = 0; i < n; i++)
        t2_buf_printf(text, "%s%d", i ? " " : "", (int) symbols[i]);
}

static void check(const struct dg_case_rule *rule, int max_length, uint32_t expected)
{
    struct dg_cases *c = dg_cases_new(rule, SEED);
    struct t2_buf text = {0};
    struct dg_case one;

    for (int i = 0; i < N_CASES; i++) {
        dg_cases_next(c, max_length, &one);
        print_row(&text, one.inputs, one.n_inputs);
        t2_buf_push(&text, '|');
        print_row(&text, one.targets, one.n_targets);
        t2_buf_push(&text, '\n');
    }
    assert_int_equal(t2_crc32(0, text.data, text.len_bytes), expected);
    t2_buf_release(&text);
    dg_cases_free(c);
}

static void test_rows(void **state)
{
    (void) state;
    check(&(struct dg_case_rule){DG_CASE_IDENTITY, 95, 0}, 20, 0x13e4467d);
    check(&(struct dg_case_rule){DG_CASE_SHIFT, 20, 0}, 40, 0xd2f2a9e2);
    check(&(struct dg_case_rule){DG_CASE_REVERSE, 10, 0}, 40, 0x1d634098);
    check(&(struct dg_case_rule){DG_CASE_SORT, 20, 0}, 10, 0x4c150656);
}

static void test_frequent_symbols(void **state)
{
    (void) state;
    check(&(struct dg_case_rule){DG_CASE_REVERSE_ZIPF, 8000, 1.3}, 70, 0xa8c9932c);
    check(&(struct dg_case_rule){DG_CASE_REVERSE_ZIPF, 32000, 1.05}, 70, 0xfcdcc1c3);
}

static void test_numbers(void **state)
{
    (void) state;
    check(&(struct dg_case_rule){DG_CASE_ADDITION, 2, 0}, 40, 0x9ef38199);
    check(&(struct dg_case_rule){DG_CASE_MULTIPLICATION, 2, 0}, 40, 0xa7f93132);
    check(&(struct dg_case_rule){DG_CASE_MULTIPLICATION, 10, 0}, 400, 0xa42e1655);
}

static void test_ciphers(void **state)
{
    (void) state;
    check(&(struct dg_case_rule){DG_CASE_CIPHER_SHIFT, 5, 0}, 100, 0x4893ec6b);
    check(&(struct dg_case_rule){DG_CASE_CIPHER_SHIFT, 200, 0}, 100, 0x108c960f);
    check(&(struct dg_case_rule){DG_CASE_CIPHER_VIGENERE, 5, 0}, 200, 0x24927485);
    check(&(struct dg_case_rule){DG_CASE_CIPHER_VIGENERE, 200, 0}, 200, 0xa7f49d43);
    dg_cases_free(NULL);
}

T_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_frequent_symbols),
       cmocka_unit_test(test_numbers), cmocka_unit_test(test_ciphers))
