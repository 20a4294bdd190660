/*
 * tests/unit/tokenizer/test_sp_bpe.c - merging by score, against the rule as it is said.
 */
#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/unit/tokenizer/sp_cuts.h"

/* A symbol of the plain rule; frozen: a user-defined piece. */
struct plain {
    size_t at, len_bytes;
    bool is_frozen;
};

static int32_t piece_of(const struct tok_sp_model *m, const char *s, size_t n)
{
    for (int32_t id = SC_SPECIALS; id < m->n; id++)
        if (m->pieces[id].len_bytes == n && memcmp(m->pieces[id].data, s, n) == 0)
            return id;
    return -1;
}

/* The longest user-defined piece at s, else a letter. */
static struct plain first_symbol(const struct tok_sp_model *m, const char *text, size_t at)
{
    struct plain s = {at, (uint8_t) text[at] >= 0xC0 ? 2 : 1, false};

    for (int32_t id = SC_SPECIALS; id < m->n; id++) {
        struct t2_slice p = m->pieces[id];

        if (m->types[id] == TOK_SP_USER_DEFINED &&
            strncmp(text + at, (const char *) p.data, p.len_bytes) == 0 &&
            (!s.is_frozen || p.len_bytes > s.len_bytes))
            s = (struct plain){at, p.len_bytes, true};
    }
    return s;
}

/* Again and again the two neighbours whose joint piece has the best score, the leftmost of
 * equals. */
static size_t merge_plainly(const struct tok_sp_model *m, const char *text, struct plain *s)
{
    size_t n = 0;

    for (size_t at = 0; text[at]; at += s[n++].len_bytes)
        s[n] = first_symbol(m, text, at);
    for (;;) {
        size_t best = n;
        float score = 0;

        for (size_t i = 0; i + 1 < n; i++) {
            int32_t id = s[i].is_frozen || s[i + 1].is_frozen
                             ? -1
                             : piece_of(m, text + s[i].at, s[i].len_bytes + s[i + 1].len_bytes);

            if (id >= 0 && (best == n || m->scores[id] > score)) {
                best = i;
                score = m->scores[id];
            }
        }
        if (best == n)
            return n;
        s[best].len_bytes += s[best + 1].len_bytes;
        memmove(s + best + 1, s + best + 2, (n - best - 2) * sizeof *s);
        n--;
    }
}

static void test_as_the_rule(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct tok_encoder *e = sc_model(seed, FM_BPE, seed % 2 == 1, false);
        const struct tok_sp_model *m = e->model;

        for (uint64_t k = 0; k < 6; k++) {
            struct tok_sp_cut cut = {.ids = {NULL, 0, 0}};
            struct plain plain[100];
            char text[220];
            size_t n;

            sc_text(seed * 10 + k, 1 + (seed + k * k) % 60, text);
            n = merge_plainly(m, text, plain);
            tok_sp_cut_bpe(m, (const uint8_t *) text, strlen(text), &cut);
            sc_check_cover(m, text, &cut);
            assert_int_equal(cut.ids.n, n);
            for (size_t i = 0; i < n; i++)
                assert_int_equal(cut.lengths.items[i], plain[i].len_bytes);
            sc_cut_release(&cut);
        }
        tok_free(e);
    }
}

/* Unused pieces are ways to get to others, but never come out. */
static void test_unused(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct tok_encoder *e = sc_model(seed, FM_BPE, false, true);
        const struct tok_sp_model *m = e->model;
        struct tok_sp_cut cut = {.ids = {NULL, 0, 0}};
        char text[220];

        sc_text(seed, 60, text);
        tok_sp_cut_bpe(m, (const uint8_t *) text, strlen(text), &cut);
        sc_check_cover(m, text, &cut);
        for (size_t i = 0; i < cut.ids.n; i++)
            assert_int_not_equal(m->types[cut.ids.items[i]], TOK_SP_UNUSED);
        sc_cut_release(&cut);
        tok_free(e);
    }
}

static void test_unused_in_unused(void **state)
{
    struct t2_buf file = {0};
    struct tok_encoder *e;

    (void) state;
    fm_put_specials(&file);
    fm_put_piece(&file, "a", -4, FM_NORMAL);
    fm_put_piece(&file, "b", -5, FM_UNUSED);
    fm_put_piece(&file, "ab", -3, FM_UNUSED);
    fm_put_piece(&file, "abab", -2, FM_UNUSED);
    fm_put_piece(&file, "ababab", -1, FM_NORMAL);
    fm_put_trainer(&file, FM_BPE, 0, 0);
    fm_put_normalizer(&file, NULL, false, false, false);
    e = fm_parse(&file);
    FM_IDS(e, "b", "0"); /* an unused letter is unknown */
    FM_IDS(e, "ab", "3 0");
    FM_IDS(e, "abab", "3 0 3 0");
    FM_IDS(e, "ababab", "7");
    FM_IDS(e, "abababab", "7 3 0");
    tok_free(e);
    t2_buf_release(&file);
}

static void test_long_text(void **state)
{
    enum { N = 1 << 18 };
    struct tok_encoder *e = sc_model(2, FM_BPE, true, true);
    struct tok_sp_cut cut = {.ids = {NULL, 0, 0}};
    uint8_t *text = t2_alloc(N, 1);
    size_t sum = 0;

    (void) state;
    memset(text, 'a', N);
    tok_sp_cut_bpe(e->model, text, N, &cut);
    for (size_t i = 0; i < cut.lengths.n; i++)
        sum += (size_t) cut.lengths.items[i];
    assert_int_equal(sum, N);
    sc_cut_release(&cut);
    t2_free(text);
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_as_the_rule), cmocka_unit_test(test_unused),
       cmocka_unit_test(test_unused_in_unused), cmocka_unit_test(test_long_text))
