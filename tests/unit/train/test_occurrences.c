/*
 * tests/unit/train/test_occurrences.c - every place of a word is in one of its masks, none twice.
 */
#include "tests/support/t.h"
#include "train/eval/occurrences.h"

static void check(struct ev_occurrences *o, const uint32_t *text, size_t n, uint32_t n_words)
{
    ev_occurrences_set(o, text, n, n_words);
    for (uint32_t word = 0; word < n_words; word++) {
        const struct ev_place *p = ev_first_place(o, word);
        int64_t block = -1;
        size_t n_found = 0, n_there = 0;

        for (; p; p = ev_next_place(o, p)) {
            assert_true((int64_t) p->block > block);
            block = p->block;
            for (size_t i = 0; i < 64; i++)
                if (p->mask >> i & 1) {
                    assert_int_equal(text[64 * p->block + i], word);
                    n_found++;
                }
        }
        for (size_t i = 0; i < n; i++)
            n_there += text[i] == word;
        assert_int_equal(n_found, n_there);
    }
}

static void test_places(void **state)
{
    struct ev_occurrences o = {.places = NULL};
    uint32_t text[500];

    (void) state;
    for (size_t i = 0; i < 500; i++)
        text[i] = (uint32_t) (t_hash64(i) % (i < 200 ? 3 : 90));
    check(&o, text, 0, 5);
    check(&o, text, 500, 100);
    check(&o, text, 64, 10);
    check(&o, text, 65, 10);
    ev_occurrences_release(&o);
    ev_occurrences_release(&o);
}

T_MAIN(cmocka_unit_test(test_places))
