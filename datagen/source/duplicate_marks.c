/*
 * datagen/source/duplicate_marks.c - finds which of many keys came before, in bounded memory.
 *
 * Keys are written with their index to 64 temporary files by their first 6 bits (key[0] >> 58), so
 * that equal keys meet in one file.  Each file is then read into a map on its own; one that does
 * not fit into max_bytes is read several times, each pass with the keys of another remainder of
 * key[1].  The result is one bit per key: 1 GB of keys (24 bytes each) gives 5 MB of bits.  An
 * external sort would do as well, but sorts what only has to be grouped.
 */
#include "datagen/source/duplicate_marks.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/signals.h"
#include "base/spool.h"

enum { PARTITIONS = 64, PARTITION_SHIFT = 58, BYTES_OF_KEY = 64 /* in a t2_map */ };

struct entry {
    uint64_t key[2], index;
};

struct dg_marks {
    struct t2_spool *spools[PARTITIONS];
    uint64_t n, max_bytes;
    uint8_t *bits; /* n, after dg_marks_find */
};

void dg_marks_free(struct dg_marks *m)
{
    if (!m)
        return;
    for (int i = 0; i < PARTITIONS; i++)
        t2_spool_free(m->spools[i]);
    t2_free(m->bits);
    t2_free(m);
}

enum t2_status dg_marks_new(const char *beside, uint64_t max_bytes, struct dg_marks **m,
                            struct t2_err *err)
{
    enum t2_status st = T2_OK;

    *m = t2_alloc(1, sizeof **m);
    (*m)->max_bytes = max_bytes;
    for (int i = 0; i < PARTITIONS && st == T2_OK; i++)
        st = t2_spool_new(beside, &(*m)->spools[i], err);
    if (st != T2_OK) {
        dg_marks_free(*m);
        *m = NULL;
    }
    return st;
}

void dg_marks_add(struct dg_marks *m, const uint64_t key[2])
{
    const struct entry e = {{key[0], key[1]}, m->n++};

    t2_spool_write(m->spools[key[0] >> PARTITION_SHIFT], &e, sizeof e);
}

/* The keys of a partition whose second half is `pass` modulo n_passes. */
static enum t2_status find_some(struct dg_marks *m, struct t2_spool *spool, uint64_t n,
                                uint64_t pass, uint64_t n_passes, struct t2_err *err)
{
    struct t2_map *seen = t2_map_new();
    enum t2_status st = t2_spool_rewind(spool, err);
    struct entry e;
    bool is_new;

    for (; n > 0 && st == T2_OK; n--) {
        st = t2_spool_read(spool, &e, sizeof e, err);
        if (st != T2_OK || e.key[1] % n_passes != pass)
            continue;
        (void) t2_map_at(seen, e.key, sizeof e.key, &is_new);
        if (!is_new)
            m->bits[e.index / 8] |= (uint8_t) (1 << e.index % 8);
    }
    t2_map_free(seen);
    return st;
}

enum t2_status dg_marks_find(struct dg_marks *m, struct t2_err *err)
{
    uint64_t n, n_passes;

    T2_ASSERT(!m->bits);
    m->bits = t2_alloc((size_t) (m->n / 8 + 1), 1);
    for (int i = 0; i < PARTITIONS; i++) {
        n = t2_spool_bytes(m->spools[i]) / sizeof(struct entry);
        n_passes = n * BYTES_OF_KEY / (m->max_bytes ? m->max_bytes : UINT64_MAX) + 1;
        for (uint64_t pass = 0; pass < n_passes; pass++) {
            T2_TRY(t2_check_interrupt(err));
            T2_TRY(find_some(m, m->spools[i], n, pass, n_passes, err));
        }
        t2_spool_free(m->spools[i]);
        m->spools[i] = NULL;
    }
    return T2_OK;
}

bool dg_marks_was_before(const struct dg_marks *m, uint64_t i)
{
    return i < m->n && (m->bits[i / 8] >> i % 8 & 1);
}
