/*
 * tests/unit/tokenizer/test_sp_unigram.c - the best of all ways through the pieces.
 */
#include <math.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/unit/tokenizer/sp_cuts.h"

static double score_of(const struct tok_sp_model *m, int32_t id, size_t len_bytes)
{
    if (id == m->unknown)
        return (double) m->min_score - 10;
    if (m->types[id] == TOK_SP_USER_DEFINED)
        return 0.1 * (double) (len_bytes - 1);
    return (double) m->scores[id];
}

/* The best score of text[at ..], every way tried. */
static double best_of(const struct tok_sp_model *m, const char *text, size_t at, double *known)
{
    double best = -INFINITY;
    size_t n = strlen(text), c = (uint8_t) text[at] >= 0xC0 ? 2 : 1;
    bool single = false;

    if (at == n)
        return 0;
    if (!isnan(known[at]))
        return known[at];
    for (int32_t id = SC_SPECIALS; id < m->n; id++) {
        struct t2_slice p = m->pieces[id];

        if (m->types[id] == TOK_SP_UNUSED || p.len_bytes > n - at ||
            memcmp(p.data, text + at, p.len_bytes) != 0)
            continue;
        best = fmax(best, score_of(m, id, p.len_bytes) + best_of(m, text, at + p.len_bytes, known));
        single |= p.len_bytes == c;
    }
    if (!single)
        best = fmax(best, score_of(m, m->unknown, c) + best_of(m, text, at + c, known));
    return known[at] = best;
}

static void check(const struct tok_encoder *e, uint64_t seed, size_t n)
{
    const struct tok_sp_model *m = e->model;
    struct tok_sp_cut cut = {.ids = {NULL, 0, 0}};
    char text[200];
    double known[200], sum = 0;

    sc_text(seed, n, text);
    for (size_t i = 0; i < 200; i++)
        known[i] = (double) NAN;
    tok_sp_cut_unigram(m, (const uint8_t *) text, strlen(text), &cut);
    sc_check_cover(m, text, &cut);
    for (size_t i = 0; i < cut.ids.n; i++)
        sum += score_of(m, cut.ids.items[i], (size_t) cut.lengths.items[i]);
    assert_true(fabs(sum - best_of(m, text, 0, known)) < 1e-4);
    sc_cut_release(&cut);
}

static void test_best_of_all(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct tok_encoder *e = sc_model(seed, FM_UNIGRAM, seed % 3 == 1, seed % 3 == 2);

        for (uint64_t k = 0; k < 8; k++)
            check(e, seed * 10 + k, 1 + (seed + k * k) % 90);
        tok_free(e);
    }
}

/* Of equal ways the one whose last piece begins furthest left, as in SentencePiece. */
static void test_ties(void **state)
{
    struct t2_buf file = {0};
    struct tok_encoder *e;

    (void) state;
    fm_put_specials(&file);
    fm_put_piece(&file, "a", -1, FM_NORMAL);
    fm_put_piece(&file, "aa", -2, FM_NORMAL);
    fm_put_normalizer(&file, NULL, false, false, false);
    e = fm_parse(&file);
    FM_IDS(e, "a", "3");
    FM_IDS(e, "aa", "4");
    FM_IDS(e, "aaa", "3 4");
    FM_IDS(e, "aaaa", "4 4");
    FM_IDS(e, "aaaaa", "3 4 4");
    tok_free(e);
    t2_buf_release(&file);
}

/* Bytes that a damaged map put there, not UTF-8: every byte is in one piece. */
static void test_odd_bytes(void **state)
{
    static const char text[] = "\xF0"
                               "ab\xC3\x80\x80"
                               "a\xE2\x82\xF4";
    struct tok_encoder *e = sc_model(1, FM_UNIGRAM, true, true);
    struct tok_sp_cut cut = {.ids = {NULL, 0, 0}};

    (void) state;
    for (size_t n = 1; n < sizeof text; n++) {
        size_t sum = 0;

        cut.ids.n = cut.lengths.n = 0;
        tok_sp_cut_unigram(e->model, (const uint8_t *) text, n, &cut);
        for (size_t i = 0; i < cut.lengths.n; i++)
            sum += (size_t) cut.lengths.items[i];
        assert_int_equal(sum, n);
    }
    sc_cut_release(&cut);
    tok_free(e);
}

static void test_long_text(void **state)
{
    enum { N = 1 << 20 };
    struct tok_encoder *e = sc_model(2, FM_UNIGRAM, false, false);
    struct tok_sp_cut cut = {.ids = {NULL, 0, 0}};
    uint8_t *text = t2_alloc(N, 1);
    size_t sum = 0;

    (void) state;
    memset(text, 'a', N);
    tok_sp_cut_unigram(e->model, text, N, &cut);
    for (size_t i = 0; i < cut.lengths.n; i++)
        sum += (size_t) cut.lengths.items[i];
    assert_int_equal(sum, N);
    sc_cut_release(&cut);
    t2_free(text);
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_best_of_all), cmocka_unit_test(test_ties),
       cmocka_unit_test(test_odd_bytes), cmocka_unit_test(test_long_text))
