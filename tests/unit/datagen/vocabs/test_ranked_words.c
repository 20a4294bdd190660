/*
 * test_ranked_words.c - the order of words, of equals too; the same in little memory; too many for
 * a vocabulary.
 */
#include "datagen/vocabs/ranked_words.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/t.h"

static void check(const char *text, enum dg_equal_words equals, const char *expected)
{
    const struct dg_options o = {.data_dir = t_tmp_path(".")};
    struct dg_ranked_words *w = dg_ranked_words_new(&o, equals);
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {NULL, 0, 0};
    struct t2_slice word;
    uint64_t count;

    dg_ranked_words_add_text(w, t2_slice_of(text));
    assert_int_equal(dg_ranked_words_rank(w, &err), T2_OK);
    while (dg_ranked_words_next(w, &word, &count, &err) == T2_OK)
        t2_buf_printf(&out, "%.*s=%d ", (int) word.len_bytes, (const char *) word.data,
                      (int) count);
    assert_string_equal(t2_buf_cstr(&out), expected);
    t2_buf_release(&out);
    dg_ranked_words_free(w);
}

static void test_order(void **state)
{
    (void) state;
    check("b c\ta \xc3\xa4 c  aa b\r\n", DG_EQUALS_BY_BYTES, "b=2 c=2 a=1 aa=1 \xc3\xa4=1 ");
    check("c b\ta \xc3\xa4 c  aa b\r\n", DG_EQUALS_BY_FIRST, "c=2 b=2 a=1 \xc3\xa4=1 aa=1 ");
    check(" ", DG_EQUALS_BY_BYTES, "");
}

enum { N_WORDS = 30000, N_ADDED = 100000 };

static struct dg_ranked_words *many(const struct dg_options *o, enum dg_equal_words equals)
{
    struct dg_ranked_words *w = dg_ranked_words_new(o, equals);
    struct t2_err err = T2_ERR_INIT;
    char word[32];

    for (int i = 0; i < N_ADDED; i++) {
        int n = snprintf(word, sizeof word, "word %d", (i * 7919 + i / 5) % N_WORDS);
        dg_ranked_words_add(w, (struct t2_slice){(const uint8_t *) word, (size_t) n});
    }
    if (dg_ranked_words_rank(w, &err) != T2_OK)
        fail_msg("%s", err.message);
    return w;
}

/* Tables that go to disk again and again. */
static void test_memory(void **state)
{
    const struct dg_options whole = {.data_dir = t_tmp_path(".")},
                            limited = {.data_dir = t_tmp_path("."), .max_memory = 4 << 20};

    (void) state;
    for (int equals = DG_EQUALS_BY_BYTES; equals <= DG_EQUALS_BY_FIRST; equals++) {
        struct dg_ranked_words *w[2] = {many(&whole, (enum dg_equal_words) equals),
                                        many(&limited, (enum dg_equal_words) equals)};
        struct t2_slice word[2];
        struct t2_err err = T2_ERR_INIT;
        uint64_t count[2];
        enum t2_status st = T2_OK;
        int n = 0;
        while (st == T2_OK) {
            assert_int_equal(dg_ranked_words_next(w[0], &word[0], &count[0], &err), T2_OK);
            st = dg_ranked_words_next(w[1], &word[1], &count[1], &err);
            if (st != T2_OK)
                break;
            assert_true(t2_slice_eq(word[0], word[1]));
            assert_int_equal(count[0], count[1]);
            n++;
        }
        assert_int_equal(st, T2_ENOMEM);
        assert_in_range(n, 5000, N_WORDS - 1);
        t_assert_contains(err.message, "words or more takes more than the 524.3 kB that it may of "
                                       "--max_memory: give --vocab_size");
        dg_ranked_words_free(w[0]);
        dg_ranked_words_free(w[1]);
    }
}

static void test_no_folder(void **state)
{
    const struct dg_options o = {.data_dir = t_tmp_path("none"), .max_memory = 8};
    struct dg_ranked_words *w = dg_ranked_words_new(&o, DG_EQUALS_BY_BYTES);
    struct t2_err err = T2_ERR_INIT;
    char word[16];

    (void) state;
    for (int i = 0; i < 100000; i++) {
        snprintf(word, sizeof word, "%d", i);
        dg_ranked_words_add(w, t2_slice_of(word));
    }
    assert_int_not_equal(dg_ranked_words_rank(w, &err), T2_OK);
    t_assert_contains(err.message, "none");
    dg_ranked_words_free(w);
}

T_MAIN(cmocka_unit_test(test_order), cmocka_unit_test(test_memory),
       cmocka_unit_test(test_no_folder))
