/*
 * test_match_ids.c - alignments; the values are those of T2T 1.15.7's fast_match_sequences.
 */
#include "datagen/problems/match_ids.h"

#include "base/buf.h"
#include "tests/support/t.h"

#define IDS(...) (const int32_t[]){__VA_ARGS__}, sizeof((const int32_t[]){__VA_ARGS__}) / 4

static void check(struct dg_matcher *m, const int32_t *a, size_t n_a, const int32_t *b, size_t n_b,
                  const char *expected)
{
    struct t2_buf text = {0};

    dg_match_ids(m, a, n_a, b, n_b);
    for (size_t i = 0; i < m->n; i++)
        t2_buf_printf(&text, "%s%s %zu %zu %zu %zu", i ? ", " : "",
                      m->items[i].is_equal ? "=" : "!", m->items[i].i1, m->items[i].i2,
                      m->items[i].j1, m->items[i].j2);
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
}

static void test_match(void **state)
{
    struct dg_matcher m = {0};

    (void) state;
    check(&m, IDS(5, 6, 7, 8, 9), IDS(5, 6, 7, 2, 8, 9), "= 0 3 0 3, ! 3 3 3 4, = 3 5 4 6");
    check(&m, IDS(1, 2, 3), IDS(4, 5, 6), "! 0 3 0 3");
    check(&m, IDS(1, 2, 3, 9, 9), IDS(8, 8, 1, 2, 3, 7), "! 0 0 0 2, = 0 3 2 5, ! 3 5 5 6");
    check(&m, IDS(1, 2), IDS(1, 2), "= 0 2 0 2");
    check(&m, IDS(3, 1, 2, 4), IDS(5, 1, 2, 6), "! 0 4 0 4");
    check(&m, NULL, 0, IDS(1), "! 0 0 0 1");
    check(&m, NULL, 0, NULL, 0, "");
    check(&m, IDS(1, 2, 3, 4), IDS(2, 3, 4, 1), "! 0 1 0 0, = 1 4 0 3, ! 4 4 3 4");
    check(&m, IDS(1, 2, 3, 4, 5, 6, 7, 8), IDS(1, 2, 3, 0, 0, 4, 5, 6, 7, 7, 8),
          "= 0 3 0 3, ! 3 3 3 5, = 3 6 5 8, ! 6 6 8 9, = 6 8 9 11");
    dg_matcher_release(&m);
}

/* The marks of earlier parts are told apart by a counter, which comes round. */
static void test_counter_comes_round(void **state)
{
    struct dg_matcher m = {0};

    (void) state;
    check(&m, IDS(1, 2, 3), IDS(1, 2, 3), "= 0 3 0 3");
    m.turn = UINT32_MAX - 1;
    m.firsts[7 % m.n_firsts].turn = 1; /* what a part of long ago left */
    check(&m, IDS(3, 3, 3, 3), IDS(2, 2, 2, 2), "! 0 4 0 4");
    check(&m, IDS(1, 1, 1, 1), IDS(2, 2, 2, 2), "! 0 4 0 4");
    check(&m, IDS(1, 2, 3), IDS(1, 2, 3), "= 0 3 0 3");
    dg_matcher_release(&m);
}

/* Long runs of one id, which recurse to the greatest depth. */
static void test_depth(void **state)
{
    enum { N = 4000 };
    static int32_t a[N], b[N];
    struct dg_matcher m = {0};
    size_t covered = 0;

    (void) state;
    for (size_t i = 0; i < N; i++) {
        a[i] = (int32_t) (i % 7 == 0);
        b[i] = (int32_t) (i % 11 == 0);
    }
    dg_match_ids(&m, a, N, b, N);
    for (size_t i = 0; i < m.n; i++) {
        assert_int_equal(m.items[i].i1, covered);
        covered = m.items[i].i2;
    }
    assert_int_equal(covered, N);
    dg_matcher_release(&m);
}

T_MAIN(cmocka_unit_test(test_match), cmocka_unit_test(test_counter_comes_round),
       cmocka_unit_test(test_depth))
