/*
 * tokenizer/suffix_sort.c - suffixes by keys of some symbols each, from the first on; those whose
 * keys are equal by the symbols behind these (Ng and Kakehi 2007, "Cache efficient radix sort for
 * string sorting", sorts by such keys).
 *
 *   key, 64 bits, of 7 symbols of 9 bits each:   | b+1 | a+1 | n+1 | a+1 | 0 | 0 | 0 |
 *
 * A place behind the end is 0, so a suffix stands before those that it begins, and a key that ends
 * with 0 has no symbols behind it.  Most words are shorter than two keys.
 */
#include "tokenizer/suffix_sort.h"

#include "base/radix_sort.h"

struct packing {
    unsigned bits; /* of a symbol raised by 1 */
    uint32_t symbols;
};

static void find_keys(const struct tok_suffix_text *text, struct packing p,
                      struct tok_suffix *items, size_t n, uint32_t depth)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t *s = text->symbols + items[i].place + depth;
        uint32_t length = text->lengths[items[i].place];
        uint32_t left = length > depth ? length - depth : 0, unset;
        uint64_t key = 0;

        if (left > p.symbols)
            left = p.symbols;
        for (uint32_t k = 0; k < left; k++)
            key = key << p.bits | (s[k] + 1);
        unset = p.bits * (p.symbols - left);
        /* in two shifts: by all 64 bits at once is none */
        items[i].key = key << unset / 2 << (unset + 1) / 2;
    }
}

/* Symbols, from the first, that are the same in two different keys. */
static uint32_t same_symbols(struct packing p, uint64_t a, uint64_t b)
{
    unsigned unused = 64 - p.bits * p.symbols;

    return ((unsigned) __builtin_clzll(a ^ b) - unused) / p.bits;
}

/* What the first item shares with the one before it is for the caller to say. */
static void sort_from(const struct tok_suffix_text *text, struct packing p,
                      struct tok_suffix *items, size_t n, uint32_t depth, struct tok_suffix *spare)
{
    const uint64_t last_symbol = ((uint64_t) 1 << p.bits) - 1;
    uint64_t before = 0;

    find_keys(text, p, items, n, depth);
    t2_radix_sort(items, n, sizeof *items, spare);
    for (size_t from = 0, to; from < n; from = to) {
        uint64_t key = items[from].key;

        for (to = from + 1; to < n && items[to].key == key;)
            to++;
        if (to - from > 1 && (key & last_symbol) != 0)
            sort_from(text, p, items + from, to - from, depth + p.symbols, spare);
        else
            for (size_t i = from + 1; i < to; i++)
                items[i].shared = text->lengths[items[i].place]; /* equal suffixes */
        if (from > 0)
            items[from].shared = depth + same_symbols(p, before, key);
        before = key;
    }
}

void tok_sort_suffixes(const struct tok_suffix_text *text, struct tok_suffix *items, size_t n,
                       struct tok_suffix *spare)
{
    struct packing p = {.bits = 1};

    while ((uint64_t) text->n_kinds >> p.bits !=
           0) /* n_kinds itself is the largest symbol raised by 1 */
        p.bits++;
    p.symbols = 64 / p.bits;
    sort_from(text, p, items, n, 0, spare);
    if (n > 0)
        items[0].shared = 0;
}
