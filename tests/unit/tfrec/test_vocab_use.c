/*
 * tests/unit/tfrec/test_vocab_use.c - what counts as unknown, by the kind of vocabulary.
 */
#include "tfrec/vocab_use.h"

#include <string.h>

#include "tests/support/t.h"
#include "tokenizer/encoder.h"

static struct rec_vocab_use see(struct rec_vocab *v, const int64_t *ids, size_t n)
{
    struct rec_vocab_use use = {0}, sum = {0};

    rec_vocab_see(v, ids, n, &use);
    rec_vocab_join(&sum, &use);
    return sum;
}

static void test_tokens(void **state)
{
    static const char text[] = "<pad>\n<EOS>\nthe\n<UNK>\ncat\n";
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e = NULL;

    (void) state;
    assert_int_equal(tok_parse("v", text, strlen(text), &e, &err), T2_OK);
    struct rec_vocab *v = rec_vocab_new(e);
    struct rec_vocab_use use = see(v, (int64_t[]){2, 3, 3, 5, -1, 1}, 6);
    assert_int_equal(use.n_ids, 6);
    assert_int_equal(use.n_unknown, 2);
    assert_int_equal(use.n_out_of_range, 2);
    assert_int_equal(use.n_special, 1);
    rec_vocab_free(v);
    rec_vocab_free(NULL);
    tok_free(e);
}

/* A character by its number is several ids, wherever the pieces end. */
static void test_subwords(void **state)
{
    const char *const pieces[] = {"<pad>", "<EOS>", "a_", "\\",   "2",    "28", ";",
                                  "_",     "x\\",   "2;", "\\22", "8;b_", "u",  "\\u_"};
    struct t2_slice entries[sizeof pieces / sizeof *pieces];
    struct tok_encoder *e;

    (void) state;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        entries[i] = t2_slice_of(pieces[i]);
    e = tok_subwords_new(entries, sizeof pieces / sizeof *pieces);
    struct rec_vocab *v = rec_vocab_new(e);
    assert_int_equal(see(v, (int64_t[]){2, 3, 4, 5, 6, 7, 1}, 7).n_unknown, 4);
    assert_int_equal(see(v, (int64_t[]){8, 9, 2}, 3).n_unknown, 2);
    assert_int_equal(see(v, (int64_t[]){10, 11, 2}, 3).n_unknown, 2);
    assert_int_equal(see(v, (int64_t[]){3, 12, 7}, 3).n_unknown, 0); /* an underscore */
    assert_int_equal(see(v, (int64_t[]){13, 4, 6}, 3).n_unknown, 0);
    assert_int_equal(see(v, (int64_t[]){3, 3, 4, 6}, 4).n_unknown, 0); /* a backslash, then "2;" */
    assert_int_equal(see(v, (int64_t[]){3, 1, 4, 99}, 4).n_out_of_range, 1);
    rec_vocab_free(v);
    tok_free(e);
}

static void test_bytes(void **state)
{
    struct tok_encoder *e = tok_bytes_new();
    struct rec_vocab *v = rec_vocab_new(e);

    (void) state;
    assert_int_equal(see(v, (int64_t[]){2, 257, 258}, 3).n_unknown, 0);
    assert_int_equal(see(v, (int64_t[]){2, 257, 258}, 3).n_out_of_range, 1);
    rec_vocab_free(v);
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_tokens), cmocka_unit_test(test_subwords), cmocka_unit_test(test_bytes))
