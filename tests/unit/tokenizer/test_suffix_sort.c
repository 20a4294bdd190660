#include "tokenizer/suffix_sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

/* Symbols in common of the suffixes at a and b. */
static uint32_t shared_plainly(const struct tok_suffix_text *t, uint32_t a, uint32_t b)
{
    uint32_t h = 0;

    while (h < t->lengths[a] && h < t->lengths[b] && t->symbols[a + h] == t->symbols[b + h])
        h++;
    return h;
}

static bool is_sorted(const struct tok_suffix_text *t, uint32_t a, uint32_t b)
{
    uint32_t h = shared_plainly(t, a, b);

    return h == t->lengths[a] || (h < t->lengths[b] && t->symbols[a + h] < t->symbols[b + h]);
}

/* Words of up to longest symbols below kinds; suffixes end at limit. */
static void check(uint64_t seed, uint32_t n, uint32_t kinds, uint32_t longest, uint32_t limit)
{
    uint32_t *symbols = t2_alloc(n, sizeof *symbols), *lengths = t2_alloc(n, sizeof *lengths);
    struct tok_suffix *items = t2_alloc(n, sizeof *items), *spare = t2_alloc(n, sizeof *spare);
    const struct tok_suffix_text text = {symbols, lengths, kinds};
    uint8_t *seen = t2_alloc(n, 1);
    uint32_t left = 0;

    for (uint32_t i = n; i-- > 0;) {
        left = left == 0 || t_hash64(seed + i) % longest == 0 ? 1 : left + 1;
        lengths[i] = left < limit ? left : limit;
        symbols[i] = (uint32_t) (t_hash64(seed * 77 + i % 97) % kinds);
        items[i] = (struct tok_suffix){.key = t_hash64(i), .place = i, .word = i / 3};
    }
    tok_sort_suffixes(&text, items, n, spare);
    for (uint32_t i = 0; i < n; i++) {
        assert_in_range(items[i].place, 0, n - 1);
        assert_int_equal(seen[items[i].place]++, 0);
        assert_int_equal(items[i].word, items[i].place / 3);
        if (i == 0) {
            assert_int_equal(items[i].shared, 0);
            continue;
        }
        assert_true(is_sorted(&text, items[i - 1].place, items[i].place));
        assert_int_equal(items[i].shared,
                         shared_plainly(&text, items[i - 1].place, items[i].place));
    }
    t2_free(symbols);
    t2_free(lengths);
    t2_free(items);
    t2_free(spare);
    t2_free(seen);
}

/* Alphabets whose symbols take from one bit to all that a key has room for, the largest symbol and
 * one beside a power of two among them; words shorter and longer than a key. */
static void test_sort(void **state)
{
    static const uint32_t kinds[] = {1, 2, 3, 7, 8, 255, 256, 257, 65535, 65536, 1114112, 1u << 31};

    (void) state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t n = 1; n < 3000; n = n * 3 + 1) {
            check(k + n, n, kinds[k], 9, UINT32_MAX);
            check(k + n, n, kinds[k], 200, UINT32_MAX);
            check(k + n, n, kinds[k], 200, 1 + n % 5);
        }
}

static void test_none(void **state)
{
    const struct tok_suffix_text text = {.n_kinds = 5};

    (void) state;
    tok_sort_suffixes(&text, NULL, 0, NULL);
}

T_MAIN(cmocka_unit_test(test_sort), cmocka_unit_test(test_none))
