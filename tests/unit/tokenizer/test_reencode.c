/*
 * test_reencode.c - ids through their own vocabulary, and through another one.
 */
#include "tokenizer/reencode.h"

#include <string.h>

#include "tests/support/t.h"

enum { N_TEXTS = 40 };

/* Letters, and a half of their pairs, `from` says which. */
static struct tok_encoder *vocabulary(int from)
{
    struct t2_slice entries[2 + 8 + 64 + 1];
    static char letters[8][2], pairs[64][3];
    size_t n = 0;

    entries[n++] = t2_slice_of("<pad>_");
    entries[n++] = t2_slice_of("<EOS>_");
    for (int i = 0; i < 64; i++) {
        int k = i;
        if ((t_hash64((uint64_t) k) >> from & 1) == 0)
            continue;
        pairs[k][0] = (char) ('a' + k / 8);
        pairs[k][1] = (char) ('a' + k % 8);
        entries[n++] = t2_slice_of(pairs[k]);
    }
    for (int i = 0; i < 8; i++) {
        letters[i][0] = (char) ('a' + i);
        entries[n++] = t2_slice_of(letters[i]);
    }
    entries[n++] = t2_slice_of("_");
    return tok_subwords_new(entries, n);
}

/* Texts of words that end in odd letters, so that single ones are used, too. */
static void add_texts(const struct tok_encoder *made_with, const struct tok_encoder *seen_by,
                      struct tok_reencoded *r)
{
    struct t2_err err = T2_ERR_INIT;

    for (unsigned i = 0; i < N_TEXTS; i++) {
        struct tok_ids ids = {0};
        int64_t wide[64];
        char text[16];

        for (unsigned k = 0; k < 14; k++)
            text[k] = (char) (k % 5 == 4 ? ' ' : 'a' + (t_hash64(i * 100 + k) & 7));
        assert_int_equal(tok_encode(made_with, NULL, (const uint8_t *) text, 14, &ids, &err),
                         T2_OK);
        tok_ids_push(&ids, TOK_EOS);
        tok_ids_push(&ids, TOK_PAD);
        for (size_t k = 0; k < ids.n; k++)
            wide[k] = ids.items[k];
        tok_reencode(seen_by, NULL, wide, ids.n, r);
        tok_ids_release(&ids);
    }
}

static void test_own_and_other(void **state)
{
    struct tok_encoder *a = vocabulary(0), *b = vocabulary(7);
    struct tok_reencoded own = {0, 0}, other = {0, 0}, few = {5, 0}, nothing = {0, 0};

    (void) state;
    add_texts(a, a, &own);
    add_texts(b, a, &other);
    assert_int_equal(own.n_texts, N_TEXTS);
    assert_int_equal(own.n_same, N_TEXTS);
    assert_true(tok_is_same(&own, &own) && !tok_is_another(&own, &own));
    assert_true(tok_is_another(&own, &other) && !tok_is_same(&own, &other));
    assert_false(tok_is_another(&own, &few) || tok_is_same(&own, &few));
    assert_false(tok_is_another(&other, &own) || tok_is_another(&other, &other)); /* not `usual` */
    assert_true(tok_reencoded_share(&nothing) < 1 && tok_reencoded_share(&own) > 99);
    tok_free(a);
    tok_free(b);
}

static void test_out_of_range(void **state)
{
    struct tok_encoder *a = vocabulary(0);
    const int64_t ids[] = {4, 70000, 1}, negative[] = {-5}, end[] = {1, 0};
    struct tok_reencoded r = {0, 0};

    (void) state;
    tok_reencode(a, NULL, ids, 3, &r);
    tok_reencode(a, NULL, negative, 1, &r);
    assert_int_equal(r.n_same, 0);
    tok_reencode(a, NULL, end, 2, &r);
    assert_int_equal(r.n_same, 1);
    assert_int_equal(r.n_texts, 3);
    tok_free(a);
}

T_MAIN(cmocka_unit_test(test_own_and_other), cmocka_unit_test(test_out_of_range))
