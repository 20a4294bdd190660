/*
 * tokenizer/trie.h - the longest entry of a list that begins a text (a double array over bytes).
 *
 * Entries and text are UTF-8, so the longest match in bytes is the longest in code points.
 */
#ifndef TOK_TRIE_H
#define TOK_TRIE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The child of node s by byte b is cell base ^ b, if that cell's parent is s.  Every base lies in a
 * block of 256 cells that exists whole, so no walk leaves the array.  The root is cell 0. */
struct tok_trie_cell {
    uint32_t base;
    uint32_t parent;
    int32_t id; /* of the entry that ends here, or -1 */
};

struct tok_trie {
    struct tok_trie_cell *cells;
    size_t n_cells;
};

/* The id of an entry is its index.  Empty entries are left out; of equal ones the last counts. */
void tok_trie_init(struct tok_trie *t, const struct t2_slice *entries, size_t n);
void tok_trie_release(struct tok_trie *t);

/* Id of the longest entry that is a prefix of s, its length in *matched; -1 when there is none. */
static inline int32_t tok_trie_longest(const struct tok_trie *t, const uint8_t *s, size_t len_bytes,
                                       size_t *matched)
{
    const struct tok_trie_cell *cells = t->cells;
    uint32_t node = 0;
    int32_t best = -1;

    for (size_t i = 0; i < len_bytes; i++) {
        uint32_t next = cells[node].base ^ s[i];

        if (cells[next].parent != node)
            break;
        node = next;
        if (cells[node].id >= 0) {
            best = cells[node].id;
            *matched = i + 1;
        }
    }
    return best;
}

#endif
