/*
 * tests/unit/tfrecord/test_idx_text.c - lines of DALI's .idx, written and read, and what is
 * refused.
 */
#include "tfrecord/idx_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "tests/unit/tfrecord/index_files.h"

static void test_line(void **state)
{
    char line[TFR_IDX_LINE_BYTES];

    (void) state;
    assert_int_equal(tfr_idx_line(line, 0, 16), 5);
    assert_memory_equal(line, "0 16\n", 5);
    assert_int_equal(tfr_idx_line(line, UINT64_MAX, UINT64_MAX), TFR_IDX_LINE_BYTES);
    assert_memory_equal(line, "18446744073709551615 18446744073709551615\n", 42);
}

/* Around every power of ten. */
static void test_digits(void **state)
{
    char line[TFR_IDX_LINE_BYTES], want[64];
    uint64_t v = 1;

    (void) state;
    for (int digits = 0; digits < 20; digits++, v *= 10) {
        for (uint64_t k = v - 1; k != v + 2; k++) {
            int n = snprintf(want, sizeof want, "%" PRIu64 " %" PRIu64 "\n", k, k * 7 / 3);
            assert_int_equal(tfr_idx_line(line, k, k * 7 / 3), n);
            assert_memory_equal(line, want, (size_t) n);
        }
    }
}

static void test_parse(void **state)
{
    static const char *const texts[] = {"0 23\n23 16\n39 56\n", "0 23\n23 16\n39 56",
                                        "0 23\r\n23 16\r\n39 56\r\n"};
    uint64_t *offsets, n;

    (void) state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(tfr_idx_parse(texts[i], strlen(texts[i]), "x.idx", &offsets, &n, &err),
                         T2_OK);
        assert_int_equal(n, 3);
        assert_int_equal(offsets[0], 0);
        assert_int_equal(offsets[1], 23);
        assert_int_equal(offsets[2], 39);
        assert_int_equal(offsets[3], 95);
        t2_free(offsets);
    }
    assert_int_equal(tfr_idx_parse("", 0, "x.idx", &offsets, &n, &err), T2_OK);
    assert_int_equal(n, 0);
    t2_free(offsets);
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"0 23\n\n", "line 2 is not"},
        {"0\n", "line 1 is not"},
        {"0 23 4\n", "line 1 is not"},
        {"-1 23\n", "line 1 is not"},
        {"0 99999999999999999999\n", "line 1 is not"},
        {"0 23\n24 16\n", "line 2: a record of 16 bytes at 24 cannot follow what ends at 23"},
        {"5 23\n", "line 1: a record of 23 bytes at 5"},
        {"0 15\n", "line 1: a record of 15 bytes"},
        {"0 18446744073709551615\n18446744073709551615 16\n", "line 2: a record"},
    };
    uint64_t *offsets, n;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(tfr_idx_parse(cases[i].text, strlen(cases[i].text), "x.idx", &offsets, &n,
                                       &err),
                         T2_EFORMAT);
        t_assert_contains(err.message, cases[i].says);
        assert_null(offsets);
    }
}

T_MAIN(cmocka_unit_test(test_line), cmocka_unit_test(test_digits), cmocka_unit_test(test_parse),
       cmocka_unit_test(test_refused))
