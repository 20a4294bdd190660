/*
 * test_numbers_grammar.c - the sentences: one German for each English, well-formed, always the
 * same.
 */
#include "datagen/problems/numbers_grammar.h"

#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/str.h"
#include "base/text.h"
#include "tests/support/t.h"

enum { N_SENTENCES = 200000 };

static void test_one_german_for_each_english(void **state)
{
    struct t2_map *german = t2_map_new();
    struct t2_buf en = {0}, de = {0};

    (void) state;
    for (uint64_t i = 0; i < N_SENTENCES; i++) {
        uint64_t hash, *there;
        bool inserted;
        dg_numbers_sentence(i % 3, i / 3, &en, &de);
        hash = t2_hash64(de.data, de.len_bytes, 0);
        there = t2_map_at(german, en.data, en.len_bytes, &inserted);
        if (!inserted && *there != hash)
            fail_msg("'%s' has a second translation: '%s'", t2_buf_cstr(&en), t2_buf_cstr(&de));
        *there = hash;
    }
    assert_true(t2_map_count(german) > N_SENTENCES * 4 / 5);
    t2_map_free(german);
    t2_buf_release(&en);
    t2_buf_release(&de);
}

static size_t count_words(const char *s)
{
    size_t n = 1;

    for (; *s; s++)
        n += *s == ' ';
    return n;
}

static void check_form(const char *s, size_t least_words)
{
    size_t len = strlen(s), words = count_words(s);
    bool upper = (s[0] >= 'A' && s[0] <= 'Z') || (s[0] >= '0' && s[0] <= '9');

    if (!upper || s[len - 1] != '.' || strstr(s, "  ") || strstr(s, "..") || strstr(s, " .") ||
        strstr(s, " ,") || words < least_words || words > 20 ||
        t2_utf8_invalid_at((const uint8_t *) s, len) != len)
        fail_msg("not well-formed: '%s'", s);
}

static void test_form(void **state)
{
    struct t2_buf en = {0}, de = {0};

    (void) state;
    for (uint64_t i = 0; i < 20000; i++) {
        dg_numbers_sentence(7, i, &en, &de);
        check_form(t2_buf_cstr(&en), 4);
        check_form(t2_buf_cstr(&de), 4);
    }
    t2_buf_release(&en);
    t2_buf_release(&de);
}

/* A pure function: the place in the sequence is all that counts. */
static void test_any_order(void **state)
{
    struct t2_buf a = {0}, b = {0}, c = {0}, d = {0};

    (void) state;
    dg_numbers_sentence(5, 1000, &a, &b);
    dg_numbers_sentence(5, 3, &c, &d);
    dg_numbers_sentence(5, 1000, &c, &d);
    assert_string_equal(t2_buf_cstr(&a), t2_buf_cstr(&c));
    assert_string_equal(t2_buf_cstr(&b), t2_buf_cstr(&d));
    dg_numbers_sentence(6, 1000, &c, &d);
    assert_string_not_equal(t2_buf_cstr(&a), t2_buf_cstr(&c));
    t2_buf_release(&a);
    t2_buf_release(&b);
    t2_buf_release(&c);
    t2_buf_release(&d);
}

/* When this changes, so does every data set made of it: raise `revision` in problem_numbers.c. */
static void test_sentences_stay(void **state)
{
    static const char expected[] =
        "2a95cbfaed3b7430adff9dca216d50c6d821a6b66272602a5bdad3f63448f927";
    struct t2_sha256 *h = t2_sha256_new();
    struct t2_buf en = {0}, de = {0};
    char hex[65];

    (void) state;
    for (uint64_t i = 0; i < 5000; i++) {
        dg_numbers_sentence(429459, i, &en, &de);
        t2_sha256_update(h, en.data, en.len_bytes);
        t2_sha256_update(h, "\t", 1);
        t2_sha256_update(h, de.data, de.len_bytes);
        t2_sha256_update(h, "\n", 1);
    }
    t2_sha256_peek(h, hex);
    assert_string_equal(hex, expected);
    t2_sha256_free(h);
    t2_buf_release(&en);
    t2_buf_release(&de);
}

T_MAIN(cmocka_unit_test(test_one_german_for_each_english), cmocka_unit_test(test_form),
       cmocka_unit_test(test_any_order), cmocka_unit_test(test_sentences_stay))
