/*
 * datagen/images/lmdb.c - the pages of a data.mdb.
 *
 * A file is an array of pages (lmdb's mdb.c; little-endian).  Pages 0 and 1 are meta pages, the one
 * with the later transaction counts; it gives the root of a B+ tree.
 *
 *   page             0  8 number    10 2 flags    12 2 lower    14 2 upper
 *                    16 2 offsets of the nodes, (lower - 16) / 2 of them; nodes at the page's end
 *   branch node      0 6 page       6 2 bytes of the key     8 key
 *   leaf node        0 4 bytes of the value   4 2 flags   6 2 bytes of the key   8 key, then the
 *                    value, or, with IN_OVERFLOW, 8 bytes: the page where it begins
 *   overflow pages   a header of 16 bytes, then the value through as many pages as it needs
 *
 * In a sound file every page has one parent and every byte belongs to one entry.  Damaged pages can
 * form a graph, and entries share their bytes: the walk counts the bytes of pages and of entries
 * and ends at twice the file.
 */
#include "datagen/images/lmdb.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

enum {
    HEADER_BYTES = 16, /* of a page: number 8, unused 2, flags 2, lower 2, upper 2 */
    NODE_BYTES = 8,    /* size 4 (or page 4 and 2 more), flags 2, key 2 */
    BRANCH = 1,
    LEAF = 2,
    OVERFLOW_PAGES = 4,
    META = 8,
    LEAF2 = 0x20,
    IN_OVERFLOW = 1, /* of a node */
    NOT_PLAIN = 6,   /* a database of its own, several values */
    META_BYTES = 136,
    META_PAGE_BYTES = 24, /* in a meta page: offsets of what is looked at */
    META_FLAGS = 76,
    META_ENTRIES = 104,
    META_ROOT = 112,
    META_TRANSACTION = 128
};
static const uint32_t magic = 0xBEEFC0DE;

static uint64_t little(const uint8_t *p, int n)
{
    uint64_t v = 0;

    while (n-- > 0)
        v = v << 8 | p[n];
    return v;
}

static enum t2_status bad_page(const struct dg_lmdb *m, uint64_t page, const char *what,
                               struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': page %" PRIu64 ": %s", m->origin, page, what);
}

/* NULL when the page is behind the end of the file. */
static const uint8_t *page_at(const struct dg_lmdb *m, uint64_t page)
{
    return page < m->file.len_bytes / m->page_bytes ? m->file.data + page * m->page_bytes : NULL;
}

/* The meta data at an offset; NULL: there are none. */
static const uint8_t *meta_at(struct t2_slice file, size_t offset)
{
    const uint8_t *p = file.data + offset;

    if (offset > file.len_bytes || file.len_bytes - offset < HEADER_BYTES + META_BYTES ||
        !(little(p + 10, 2) & META) || little(p + HEADER_BYTES, 4) != magic ||
        little(p + HEADER_BYTES + 4, 4) != 1)
        return NULL;
    return p + HEADER_BYTES;
}

static enum t2_status spend(struct dg_lmdb *m, uint64_t n_bytes, struct t2_err *err)
{
    enum t2_status st = t2_budget_spend(&m->budget, n_bytes, err);

    return st == T2_EFORMAT ? t2_wrap(err, "'%s'", m->origin) : st;
}

/*
 * Enters a page: the walk goes depth first with a stack of (page, next node), so entries come in
 * the order of their keys.
 */
static enum t2_status push(struct dg_lmdb *m, uint64_t page, struct t2_err *err)
{
    const uint8_t *p = page_at(m, page);
    size_t lower, flags;

    T2_TRY(spend(m, m->page_bytes, err));
    if (!p)
        return bad_page(m, page, "behind the end of the file; it was cut, or is damaged", err);
    if (m->depth == DG_LMDB_DEPTH)
        return bad_page(m, page, "the tree is too deep", err);
    flags = little(p + 10, 2);
    lower = little(p + 12, 2);
    if (!(flags & (BRANCH | LEAF)) || (flags & LEAF2))
        return bad_page(m, page, "no page of keys and values", err);
    if (lower < HEADER_BYTES || lower > m->page_bytes)
        return bad_page(m, page, "its list of entries is damaged", err);
    m->stack[m->depth].page = page;
    m->stack[m->depth].at = 0;
    m->stack[m->depth].n = (lower - HEADER_BYTES) / 2;
    m->depth++;
    return T2_OK;
}

enum t2_status dg_lmdb_open(struct t2_slice file, const char *origin, struct dg_lmdb *m,
                            struct t2_err *err)
{
    const uint8_t *meta = meta_at(file, 0), *second;
    uint64_t root;

    *m = (struct dg_lmdb){.file = file, .origin = origin};
    t2_budget_init(&m->budget, "its pages and entries", "bytes", 0, 2, file.len_bytes);
    if (!meta)
        return t2_fail(err, T2_EFORMAT, "'%s' is no data.mdb of LMDB", origin);
    m->page_bytes = (size_t) little(meta + META_PAGE_BYTES, 4);
    if (m->page_bytes < 256 || m->page_bytes > 65536 || (m->page_bytes & (m->page_bytes - 1)))
        return t2_fail(err, T2_EFORMAT, "'%s': pages of %zu bytes", origin, m->page_bytes);
    second = meta_at(file, m->page_bytes);
    if (second && little(second + META_TRANSACTION, 8) > little(meta + META_TRANSACTION, 8))
        meta = second;
    if (little(meta + META_FLAGS, 2) != 0)
        return t2_fail(err, T2_EUNSUPPORTED, "'%s': keys with several values, or in another order",
                       origin);
    m->n_entries = little(meta + META_ENTRIES, 8);
    root = little(meta + META_ROOT, 8);
    return root == UINT64_MAX ? T2_OK : push(m, root, err);
}

/* A value that lies in pages of its own. */
static enum t2_status overflow(const struct dg_lmdb *m, uint64_t page, size_t len_bytes,
                               struct t2_slice *value, struct t2_err *err)
{
    const uint8_t *p = page_at(m, page);
    size_t left;

    if (!p || !(little(p + 10, 2) & OVERFLOW_PAGES))
        return bad_page(m, page, "no page of a long value", err);
    left = m->file.len_bytes - (size_t) page * m->page_bytes - HEADER_BYTES;
    if (len_bytes > left)
        return bad_page(m, page, "its value ends behind the end of the file", err);
    *value = (struct t2_slice){p + HEADER_BYTES, len_bytes};
    return T2_OK;
}

static enum t2_status leaf_node(struct dg_lmdb *m, uint64_t page, const uint8_t *node, size_t left,
                                struct t2_slice *key, struct t2_slice *value, struct t2_err *err)
{
    size_t value_bytes = (size_t) little(node, 4), key_bytes = (size_t) little(node + 6, 2);
    uint64_t flags = little(node + 4, 2);
    size_t here = flags & IN_OVERFLOW ? 8 : value_bytes;

    if (flags & NOT_PLAIN)
        return bad_page(m, page, "a database in the database, or several values of a key", err);
    if (key_bytes > left - NODE_BYTES || here > left - NODE_BYTES - key_bytes)
        return bad_page(m, page, "an entry is longer than the page", err);
    if (m->n_given++ == m->n_entries)
        return bad_page(m, page, "more entries than the file says it has", err);
    T2_TRY(spend(m, NODE_BYTES + key_bytes + value_bytes, err));
    *key = (struct t2_slice){node + NODE_BYTES, key_bytes};
    *value = (struct t2_slice){node + NODE_BYTES + key_bytes, value_bytes};
    return flags & IN_OVERFLOW ? overflow(m, little(value->data, 8), value_bytes, value, err)
                               : T2_OK;
}

enum t2_status dg_lmdb_next(struct dg_lmdb *m, struct t2_slice *key, struct t2_slice *value,
                            struct t2_err *err)
{
    while (m->depth > 0) {
        uint64_t page = m->stack[m->depth - 1].page;
        size_t at = m->stack[m->depth - 1].at++, offset;
        const uint8_t *p = page_at(m, page);
        if (at == m->stack[m->depth - 1].n) {
            m->depth--;
            continue;
        }
        offset = (size_t) little(p + HEADER_BYTES + 2 * at, 2);
        if (offset < HEADER_BYTES || offset + NODE_BYTES > m->page_bytes)
            return bad_page(m, page, "its list of entries is damaged", err);
        if (little(p + 10, 2) & LEAF)
            return leaf_node(m, page, p + offset, m->page_bytes - offset, key, value, err);
        T2_TRY(push(m, little(p + offset, 6), err));
    }
    if (m->n_given != m->n_entries)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': %" PRIu64 " entries, not the %" PRIu64 " it declares", m->origin,
                       m->n_given, m->n_entries);
    return T2_EOF;
}
