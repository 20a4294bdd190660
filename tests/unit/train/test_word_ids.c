/*
 * tests/unit/train/test_word_ids.c - equal words, equal numbers; growth; a new start.
 */
#include <stdio.h>

#include "tests/support/t.h"
#include "train/eval/word_ids.h"

static void test_numbers(void **state)
{
    static const uint32_t want[] = {0, 1, 0, 2};
    struct ev_words *w = ev_words_new();
    struct ev_ids ids = {NULL, 0, 0};

    (void) state;
    ev_words_cut(w, t2_slice_of("b a b c"), &ids);
    assert_int_equal(ids.n, 4);
    assert_memory_equal(ids.items, want, sizeof want);
    ev_words_cut(w, t2_slice_of(""), &ids);
    assert_int_equal(ids.n, 4);
    assert_int_equal(ev_words_id(w, t2_slice_of("a")), 1);
    ev_words_start(w);
    assert_int_equal(ev_words_id(w, t2_slice_of("a")), 0);
    ev_ids_release(&ids);
    ev_words_free(w);
    ev_words_free(NULL);
}

static void test_many(void **state)
{
    enum { N = 5000 };
    static char text[N][8];
    struct ev_words *w = ev_words_new();

    (void) state;
    for (int round = 0; round < 3; round++) {
        ev_words_start(w);
        for (int pass = 0; pass < 2; pass++)
            for (uint32_t i = 0; i < N; i++) {
                snprintf(text[i], sizeof text[i], "%u", i);
                assert_int_equal(ev_words_id(w, t2_slice_of(text[i])), i);
            }
    }
    ev_words_free(w);
}

static void test_code_points(void **state)
{
    static const uint32_t want[] = {'a', 0xe4, 0x4e2d, 0x1f600};
    struct ev_ids ids = {NULL, 0, 0};

    (void) state;
    ev_ids_of_text(&ids, t2_slice_of("a\u00e4\u4e2d\U0001F600"));
    assert_int_equal(ids.n, 4);
    assert_memory_equal(ids.items, want, sizeof want);
    ev_ids_release(&ids);
}

T_MAIN(cmocka_unit_test(test_numbers), cmocka_unit_test(test_many),
       cmocka_unit_test(test_code_points))
