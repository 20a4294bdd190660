/*
 * tokenizer/charsmap.c - writing SentencePiece's precompiled map of characters.
 *
 *   offset 0, 4 bytes   n, bytes of the units, little-endian
 *          4, n         units of 4 bytes: a double array (Darts), little-endian
 *          4 + n        replacements, each ended by a zero byte; a value is an offset into them
 *
 * A unit of the double array holds the byte that leads to it (bits 0 to 7), whether a value follows
 * (bit 8) and an offset (bits 10 to 30; shifted by 8 more when bit 9 is set).  The children of the
 * node at p are at p ^ offset ^ byte, its value at p ^ offset.  Keys are single characters in
 * UTF-8, so that no key begins another, and below the first byte all bytes are 0x80 to 0xBF.  So an
 * inner node takes 64 cells in a row, and a value one.
 */
#include "tokenizer/charsmap.h"

#include <string.h>

#include "base/alloc.h"
#include "tokenizer/unicode.h"

enum {
    FIRST_BASE = 256, /* of the root's children; apart from the root itself */
    ROW = 64,
    HAS_VALUE = 1 << 8,
    MAX_CELLS = 1 << 21 /* above, an offset would need the other form */
};

/* The first of n new cells, n a power of two, aligned to n. */
static size_t new_cells(struct tok_charsmap *m, size_t n)
{
    size_t first;

    if (m->n == 0)
        m->n = FIRST_BASE + 256;
    first = (m->n + n - 1) / n * n;
    T2_ASSERT(first + n <= MAX_CELLS);
    m->n = first + n;
    if (m->n > m->capacity) {
        size_t old = m->capacity;

        m->capacity = m->n + m->n / 2;
        m->units = t2_realloc(m->units, m->capacity, sizeof *m->units);
        memset(m->units + old, 0, (m->capacity - old) * sizeof *m->units);
    }
    return first;
}

static uint32_t offset_of(size_t node, size_t base)
{
    return (uint32_t) (node ^ base) << 10;
}

/* Where the children of a node begin; makes the node an inner one. */
static size_t base_of(struct tok_charsmap *m, size_t node)
{
    if (node == 0) {
        if (m->n == 0)
            (void) new_cells(m, ROW);
        m->units[0] = offset_of(0, FIRST_BASE);
        return FIRST_BASE;
    }
    if (m->units[node] >> 10 == 0) {
        size_t row = new_cells(m, ROW);

        m->units[node] |= offset_of(node, row ^ 0x80);
    }
    return node ^ m->units[node] >> 10;
}

/* A cell for a value; rows of 64 hold one kind of cell, so values never lie among children. */
static size_t new_value_cell(struct tok_charsmap *m)
{
    if (m->n_leaves % ROW == 0)
        m->leaf = new_cells(m, ROW);
    return m->leaf + m->n_leaves++ % ROW;
}

void tok_charsmap_add(struct tok_charsmap *m, uint32_t c, struct t2_slice replacement)
{
    uint8_t bytes[4];
    size_t n = tok_utf8_encode(c, bytes), node = 0, value;

    T2_ASSERT(c != 0);
    for (size_t i = 0; i < n; i++) {
        node = base_of(m, node) ^ bytes[i];
        m->units[node] |= bytes[i];
    }
    T2_ASSERT((m->units[node] & HAS_VALUE) == 0);
    value = new_value_cell(m);
    m->units[node] |= HAS_VALUE | offset_of(node, value);
    m->units[value] = (uint32_t) 1 << 31 | (uint32_t) m->replacements.len_bytes;
    t2_buf_append(&m->replacements, replacement.data, replacement.len_bytes);
    t2_buf_push(&m->replacements, 0);
}

static void put_u32(struct t2_buf *out, uint32_t v)
{
    for (unsigned shift = 0; shift < 32; shift += 8)
        t2_buf_push(out, (uint8_t) (v >> shift));
}

void tok_charsmap_write(const struct tok_charsmap *m, struct t2_buf *out)
{
    /* whole blocks of 256: a reader that goes on behind a value stays inside */
    size_t n = (m->n + 255) / 256 * 256;

    if (n == 0)
        n = 256;
    put_u32(out, (uint32_t) (n * 4));
    for (size_t i = 0; i < n; i++)
        put_u32(out, i < m->n ? m->units[i] : 0);
    t2_buf_append(out, m->replacements.data, m->replacements.len_bytes);
    if (m->replacements.len_bytes == 0)
        t2_buf_push(out, 0);
}

void tok_charsmap_release(struct tok_charsmap *m)
{
    t2_free(m->units);
    t2_buf_release(&m->replacements);
    *m = (struct tok_charsmap){.units = NULL};
}
