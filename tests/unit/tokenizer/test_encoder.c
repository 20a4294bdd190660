#include "tokenizer/encoder.h"

#include <string.h>

#include "tests/unit/tokenizer/small_vocabs.h"

static void test_id_lists(void **state)
{
    struct tok_ids ids = {0};
    static const int32_t more[] = {7, 8, 9};

    (void) state;
    for (int32_t i = 0; i < 100; i++)
        tok_ids_push(&ids, i);
    tok_ids_append(&ids, more, 3);
    tok_ids_append(&ids, NULL, 0);
    assert_int_equal(ids.n, 103);
    assert_int_equal(ids.items[99], 99);
    assert_int_equal(ids.items[102], 9);
    tok_ids_release(&ids);
    assert_int_equal(ids.n, 0);
    assert_null(ids.items);
    tok_ids_release(&ids);
}

/* Every kind whose 0 and 1 are not <pad> and <EOS> can be raised above them; these have them. */
static void test_shift(void **state)
{
    struct tok_encoder *e = tok_bytes_new();

    (void) state;
    tok_shift(e);
    assert_int_equal(tok_size(e), 258);
    assert_int_equal(tok_special(e).pad, TOK_PAD);
    assert_int_equal(tok_special(e).eos, TOK_EOS);
    assert_int_equal(tok_special(e).unknown, -1);
    tok_free(e);
}

/* A text of many lines and its lines one by one: same ids, same ends, for a kind that knows lines
 * and for one that does not. */
static void check_lines(const struct tok_encoder *e, struct tok_cache *cache)
{
    static const char text[] =
        "the hat\n\n and; the cat's \n\xE6\x9D\xB1\n \nabcdefghijklmnopqrstuv\nx";
    struct tok_ids ids = {0}, one = {0};
    struct tok_ends ends = {0};
    struct t2_err err = T2_ERR_INIT;
    size_t at = 0, from = 0, n = sizeof text - 1, line = 0;

    for (size_t round = 0; round < 3; round++) {
        ids.n = ends.n = 0;
        assert_int_equal(tok_encode_lines(e, cache, (const uint8_t *) text, n - round, &ids, &ends,
                                          &err),
                         T2_OK);
        assert_int_equal(ends.n, round == 0 ? 7 : 6);
    }
    ids.n = ends.n = 0;
    assert_int_equal(tok_encode_lines(e, cache, (const uint8_t *) text, n, &ids, &ends, &err),
                     T2_OK);
    for (; at < n; line++) {
        const char *feed = memchr(text + at, '\n', n - at);
        size_t to = feed ? (size_t) (feed - text) : n;

        sv_ids(e, NULL, text + at, to - at, &one);
        assert_int_equal(one.n, ends.items[line] - from);
        if (one.n > 0)
            assert_memory_equal(one.items, ids.items + from, one.n * sizeof *one.items);
        from = ends.items[line];
        at = to + 1;
    }
    assert_int_equal(line, ends.n);
    assert_int_equal(from, ids.n);
    tok_ids_release(&ids);
    tok_ids_release(&one);
    tok_ends_release(&ends);
    assert_null(ends.items);
}

static void test_lines(void **state)
{
    struct tok_encoder *e = sv_built(), *bytes = tok_bytes_new();
    struct tok_cache *cache = tok_cache_new(e, 0);

    (void) state;
    check_lines(e, NULL);
    check_lines(e, cache);
    check_lines(bytes, NULL);
    tok_cache_free(cache);
    tok_free(bytes);
    tok_free(e);
}

static void test_line_that_cannot(void **state)
{
    static const char *const entries[] = {"<pad>_", "<EOS>_", "a", "_"};
    struct tok_encoder *e = sv_of(entries, 4);
    struct tok_ids ids = {0};
    struct tok_ends ends = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    tok_ids_push(&ids, 1);
    tok_ends_push(&ends, 1);
    assert_int_equal(tok_encode_lines(e, NULL, (const uint8_t *) "aa\na\na b\na", 10, &ids, &ends,
                                      &err),
                     T2_EFORMAT);
    assert_non_null(strstr(err.message, "'b'"));
    assert_int_equal(ends.n, 1 + 2); /* the two lines in front of it */
    assert_int_equal(ids.n, ends.items[2]);
    assert_int_equal(ids.items[ids.n - 1], 3);
    tok_ids_release(&ids);
    tok_ends_release(&ends);
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_id_lists), cmocka_unit_test(test_shift), cmocka_unit_test(test_lines),
       cmocka_unit_test(test_line_that_cannot))
