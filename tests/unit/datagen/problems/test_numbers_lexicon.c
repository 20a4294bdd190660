/*
 * test_numbers_lexicon.c - every English form is there once; German nouns have the endings they
 * must.
 */
#include "datagen/problems/numbers_lexicon.h"

#include <string.h>

#include "base/map.h"
#include "base/str.h"
#include "tests/support/t.h"

static void add_once(struct t2_map *seen, const char *word)
{
    bool inserted;

    assert_true(word[0] != '\0');
    (void) t2_map_at(seen, word, strlen(word), &inserted);
    if (!inserted)
        fail_msg("'%s' is there twice", word);
}

/* A plural that is also a singular would make "the sheep" mean two things. */
static void test_english_nouns_differ(void **state)
{
    struct t2_map *seen = t2_map_new();

    (void) state;
    for (size_t i = 0; i < dg_n_nouns; i++) {
        add_once(seen, dg_nouns[i].en);
        add_once(seen, dg_nouns[i].en_plural);
    }
    t2_map_free(seen);
}

static void test_german_nouns(void **state)
{
    (void) state;
    for (size_t i = 0; i < dg_n_nouns; i++) {
        const struct dg_noun *n = &dg_nouns[i];
        const char *dative = n->de_dative_plural;
        size_t len = strlen(n->de_plural);
        /* upper case: A-Z, or Ä Ö Ü */
        assert_true((n->de[0] >= 'A' && n->de[0] <= 'Z') || (unsigned char) n->de[0] == 0xC3);
        /* the dative plural ends in n, or in the s of foreign words, and adds nothing else */
        assert_true(t2_ends_with(dative, "n") || t2_ends_with(dative, "s"));
        assert_int_equal(strncmp(dative, n->de_plural, len), 0);
        assert_true(dative[len] == '\0' || strcmp(dative + len, "n") == 0);
    }
}

static void test_subjects_and_recipients(void **state)
{
    struct t2_map *seen = t2_map_new();

    (void) state;
    for (size_t i = 0; i < dg_n_subjects; i++) {
        const struct dg_subject *s = &dg_subjects[i];
        add_once(seen, s->en);
        /* the forms at the beginning differ in the first letter only */
        assert_string_equal(s->en + 1, s->en_first + 1);
        assert_string_equal(s->de + 1, s->de_first + 1);
        assert_true(s->de_first[0] >= 'A' && s->de_first[0] <= 'Z');
    }
    t2_map_free(seen);
    seen = t2_map_new();
    for (size_t i = 0; i < dg_n_recipients; i++)
        add_once(seen, dg_recipients[i].en);
    t2_map_free(seen);
}

static void test_sizes(void **state)
{
    (void) state;
    assert_int_equal(dg_n_months, 12);
    assert_int_equal(dg_n_weekdays, 7);
    assert_int_equal(dg_n_weekly, 7);
    assert_int_equal(dg_n_time_units, 6);
    assert_true(dg_n_nouns >= 40 && dg_n_subjects >= 25 && dg_n_cities >= 20);
}

T_MAIN(cmocka_unit_test(test_english_nouns_differ), cmocka_unit_test(test_german_nouns),
       cmocka_unit_test(test_subjects_and_recipients), cmocka_unit_test(test_sizes))
