/*
 * tests/unit/train/test_ter_edits.c - edits that sacreBLEU 2.6's translation_edit_rate counts.
 */
#include <string.h>

#include "tests/support/t.h"
#include "train/eval/ter_edits.h"

enum { MAX_WORDS = 200 };

/* Words are numbers below 100 in both texts, blanks between. */
static size_t read_words(const char *text, uint32_t *words)
{
    size_t n = 0;

    for (const char *p = text; *p; p += strspn(p, " ")) {
        words[n] = 0;
        for (; *p && *p != ' '; p++)
            words[n] = words[n] * 10 + (uint32_t) (*p - '0');
        n++;
    }
    return n;
}

static void test_recorded(void **state)
{
    static const struct {
        const char *hypothesis, *reference;
        uint64_t edits;
    } cases[] = {
        {"1 2 3 4 5 6", "4 5 6 1 2 3", 1},
        {"9 1 2", "1 2 9 8", 2},
        {"", "1 2", 2},
        {"1", "", 1},
        {"1 2 3 4 5", "5 4 3 2 1", 4},
        {"1 2 3 9 4 5 6 7 8", "4 5 6 7 8 1 2 3", 2},
        {"1 1 2 0 0 3 3 1", "1 1 2 3 0 0 3 2", 2},
        {"1 3 0 0 1 0 3 3", "1 1 3 0 0 1 0 2", 3},
        {"4 1 3 4 3 4 2 4 4 3 5 5 2 0 0 3 5 3 5 2", "1 2 0 0 1 3 1 2 5 3 5 2 3 4 3 4 2 4 4 3", 7},
        {"3 0 4 4 0 3 5 2 2 0 3 5 0 2 0 1 0 3 3 0", "0 3 5 3 0 2 0 3 1 0 2 3 3 0 0 4 4 0 3 5", 5},
        {"0 26 37 20 1 8 29 38 1 1 19 21 2 23 8 24 24 29 33 38 32 17 27 15 19 "
         "27 16 33 19 35",
         "2 21 20 23 8 24 24 29 33 24 38 35 6 39 32 17 27 15 19 27 16 33 19 35 "
         "21 0 26 37 20 1",
         13},
        {"28 10 5 21 6 6 6 23 11 20 23 39 38 16 19 24 20 21 14 1 36 36 8 32 14 "
         "17 15 20 11 27",
         "23 11 20 23 38 16 19 24 6 1 36 8 19 32 14 17 15 20 11 27 6 6 38 20 21 "
         "14 28 10 5 21",
         8},
        {"6 8 4 3 3 1 8 7 6 0 5 4 0 8 8 6 0 1 5 2 4 6 0 6 7 1 2 2 7 8 6 8 3 3 0 "
         "1 2 5 3 1 4 1 3 0 0 8 3 6 0 0 5 6 4 0 7 4 8 5 6 6",
         "4 8 4 7 5 6 4 6 6 0 6 2 3 0 7 8 6 8 3 0 7 8 4 8 5 3 1 4 1 3 0 0 8 3 6 "
         "0 0 7 1 2 8 4 3 0 8 8 6 0 1 5 2 4 8 7 0 5 3 3 1 8",
         42},
        {"1 5 7 6 6 7 2 2 0 1 6 5 6 6 6 8 6 2 0 5 5 8 7 1 6 1 5 8 0 7 2 3 6 0 1 "
         "2 5 7 8 6 0 6 0 1 6 0 1 7 4 4 1 8 0 3 8 4 1 3 2 8",
         "1 2 0 5 7 8 6 0 6 0 5 7 5 6 6 7 0 3 3 8 4 1 6 3 6 2 0 5 5 8 4 1 7 1 8 "
         "6 1 5 8 1 0 7 2 3 6 0 8 1 1 6 2 0 5 1 0 1 7 4 4 1",
         20},
    };
    struct ev_ter *t = ev_ter_edits_new();
    uint32_t h[MAX_WORDS], r[MAX_WORDS];

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n_h = read_words(cases[i].hypothesis, h), n_r = read_words(cases[i].reference, r);

        assert_int_equal(ev_ter_edits(t, h, n_h, r, n_r), cases[i].edits);
        assert_int_equal(ev_ter_edits(t, r, n_r, r, n_r), 0);
    }
    ev_ter_edits_free(t);
    ev_ter_edits_free(NULL);
}

/* Lengths that differ much widen the band; what is far from the diagonal is out of reach. */
static void test_lengths(void **state)
{
    static uint32_t many[20000], none[1];
    struct ev_ter *t = ev_ter_edits_new();

    (void) state;
    for (uint32_t i = 0; i < 20000; i++)
        many[i] = i;
    assert_int_equal(ev_ter_edits(t, many, 0, many, 20000), 20000);
    assert_int_equal(ev_ter_edits(t, many, 20000, many, 0), 20000);
    assert_int_equal(ev_ter_edits(t, many + 19999, 1, many, 20000), 19999);
    assert_int_equal(ev_ter_edits(t, many, 20000, many + 7, 1), 19999);
    assert_int_equal(ev_ter_edits(t, none, 0, none, 0), 0);
    ev_ter_edits_free(t);
}

T_MAIN(cmocka_unit_test(test_recorded), cmocka_unit_test(test_lengths))
