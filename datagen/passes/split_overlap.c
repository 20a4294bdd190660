/*
 * datagen/passes/split_overlap.c - samples that several splits have.
 */
#include "datagen/passes/split_overlap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/signals.h"
#include "tfrecord/reader.h"

enum { MARK_BITS = 20, N_MARKS = 1 << MARK_BITS };

/* Odd numbers with about as many ones as zeros: from the fractions of square roots of primes. */
static const uint64_t FACTOR_A = 0x6a09e667f3bcc909, FACTOR_B = 0xbb67ae8584caa73b;

static uint64_t rotate(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

/* Eight bytes at a time; not keyed: who wants to see samples that are not there only fools
 * themselves. */
uint64_t dg_hash_of(const void *data, size_t len_bytes)
{
    const uint8_t *at = data;
    uint64_t h = (uint64_t) len_bytes * FACTOR_A, word;

    for (; len_bytes >= 8; at += 8, len_bytes -= 8) {
        memcpy(&word, at, 8);
        h = rotate((h ^ word * FACTOR_A) * FACTOR_B, 29);
    }
    word = 0;
    memcpy(&word, at, len_bytes);
    h = (h ^ word * FACTOR_A) * FACTOR_B;
    h = (h ^ h >> 32) * FACTOR_A;
    h = (h ^ h >> 29) * FACTOR_B;
    return h ^ h >> 32;
}

static bool is_wanted(uint64_t hash, int shift)
{
    return (hash & ((UINT64_C(1) << shift) - 1)) == 0;
}

/* When DG_HASHES_KEPT hashes are there, only those that end in one more zero bit stay, and from
 * then on only such are added.  A sample's hash ends in zeros or not whatever the split, so two
 * splits thinned to the same level hold the same part of their common samples, and the share is an
 * unbiased estimate. */
static void thin(struct dg_hashes *h, int shift)
{
    size_t n = 0;

    for (size_t i = 0; i < h->n; i++) {
        if (is_wanted(h->items[i], shift))
            h->items[n++] = h->items[i];
    }
    h->n = n;
    h->shift = shift;
}

void dg_hashes_add(struct dg_hashes *h, uint64_t hash)
{
    if (!is_wanted(hash, h->shift))
        return;
    if (h->n == h->capacity && h->capacity < DG_HASHES_KEPT) {
        h->capacity = h->capacity > 0 ? 2 * h->capacity : 1024;
        h->items = t2_realloc(h->items, h->capacity, sizeof *h->items);
    }
    /* equal samples have equal hashes, which one more bit need not thin */
    while (h->n == DG_HASHES_KEPT && h->shift < 63)
        thin(h, h->shift + 1);
    if (h->n < DG_HASHES_KEPT && is_wanted(hash, h->shift))
        h->items[h->n++] = hash;
}

void dg_hashes_release(struct dg_hashes *h)
{
    t2_free(h->items);
    *h = (struct dg_hashes){0};
}

static enum t2_status hash_shard(const char *path, struct dg_hashes *h, struct t2_err *err)
{
    struct tfr_reader *r = NULL;
    struct t2_slice record;
    enum t2_status st = tfr_reader_new(path, &r, err);

    while (st == T2_OK && (st = tfr_reader_next(r, &record, err)) == T2_OK)
        dg_hashes_add(h, dg_hash_of(record.data, record.len_bytes));
    tfr_reader_free(r);
    return st == T2_EOF ? t2_check_interrupt(err) : st;
}

enum t2_status dg_hash_shards(const struct tfr_manifest_split *split, const char *data_dir,
                              struct dg_hashes *h, struct t2_err *err)
{
    for (size_t i = 0; i < split->n_shards; i++) {
        char *path = t2_path_join(data_dir, split->shards[i].file);
        enum t2_status st = hash_shard(path, h, err);

        t2_free(path);
        T2_TRY(st);
    }
    return T2_OK;
}

/* ---- counting ---- */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

    return (x > y) - (x < y);
}

static uint64_t mark_of(uint64_t hash)
{
    return hash >> (64 - MARK_BITS);
}

/* Which members of a sorted list the others have. */
static bool *seen_in(const struct dg_hashes *sorted, const struct dg_hashes *others)
{
    bool *seen = t2_alloc(sorted->n, sizeof *seen);
    uint8_t *marks = t2_alloc(N_MARKS / 8, 1); /* most of the others are ruled out by a bit */
    const uint64_t *first = sorted->items, *found;

    for (size_t i = 0; i < sorted->n; i++)
        marks[mark_of(first[i]) / 8] |= (uint8_t) (1U << mark_of(first[i]) % 8);
    for (size_t i = 0; i < others->n; i++) {
        if ((marks[mark_of(others->items[i]) / 8] >> mark_of(others->items[i]) % 8 & 1) == 0)
            continue;
        found = bsearch(&others->items[i], first, sorted->n, sizeof *first, by_value);
        if (found)
            seen[found - first] = true;
    }
    t2_free(marks);
    /* bsearch finds one of several that are equal */
    for (size_t i = 1; i < sorted->n; i++)
        seen[i] = seen[i] || (seen[i - 1] && first[i] == first[i - 1]);
    for (size_t i = sorted->n; i-- > 1;)
        seen[i - 1] = seen[i - 1] || (seen[i] && first[i] == first[i - 1]);
    return seen;
}

static void count(struct dg_shared *s, struct dg_hashes *in, const struct dg_hashes *of)
{
    int shift = in->shift > of->shift ? in->shift : of->shift;
    bool *seen;

    qsort(in->items, in->n, sizeof *in->items, by_value);
    seen = seen_in(in, of);
    s->is_all = shift == 0;
    for (size_t i = 0; i < in->n; i++) {
        s->n_looked_at += is_wanted(in->items[i], shift);
        s->n_shared += seen[i];
    }
    t2_free(seen);
}

void dg_count_shared(struct dg_hashes of_split[DG_N_SPLITS], struct dg_shared shared[DG_N_SHARED])
{
    static const enum dg_split pairs[DG_N_SHARED][2] = {{DG_DEV, DG_TRAIN},
                                                        {DG_TEST, DG_TRAIN},
                                                        {DG_TEST, DG_DEV}};

    for (int i = 0; i < DG_N_SHARED; i++) {
        shared[i] = (struct dg_shared){.in = pairs[i][0], .of = pairs[i][1]};
        if (of_split[pairs[i][0]].n > 0 && of_split[pairs[i][1]].n > 0)
            count(&shared[i], &of_split[pairs[i][0]], &of_split[pairs[i][1]]);
    }
}

bool dg_any_shared(const struct dg_shared shared[DG_N_SHARED])
{
    for (int i = 0; i < DG_N_SHARED; i++) {
        if (shared[i].n_shared > 0)
            return true;
    }
    return false;
}

bool dg_shares_much(const struct dg_shared *s)
{
    return s->n_shared > 0 && s->n_shared * 100 >= s->n_looked_at * DG_SHARED_WARN_PERCENT;
}

/* ---- saying it ---- */

void dg_shared_put(const struct dg_shared *s, struct t2_buf *text)
{
    t2_buf_printf(text, "%" PRIu64 " of %s%" PRIu64 " %s samples (%.4g %%) are in %s, too",
                  s->n_shared, s->is_all ? "the " : "", s->n_looked_at, dg_split_name(s->in),
                  100.0 * (double) s->n_shared / (double) s->n_looked_at, dg_split_name(s->of));
    if (!s->is_all)
        t2_buf_puts(text, " (a part was looked at, chosen by hash)");
}

void dg_report_shared(const struct dg_shared shared[DG_N_SHARED])
{
    for (int i = 0; i < DG_N_SHARED; i++) {
        struct t2_buf text = {0};

        if (shared[i].n_shared == 0)
            continue;
        dg_shared_put(&shared[i], &text);
        if (dg_shares_much(&shared[i]))
            t2_warn("%s: scores on %s say little about new data", t2_buf_cstr(&text),
                    dg_split_name(shared[i].in));
        else
            t2_info("%s", t2_buf_cstr(&text));
        t2_buf_release(&text);
    }
}

void dg_shared_json(const struct dg_shared shared[DG_N_SHARED], struct t2_json *j)
{
    t2_json_key(j, "shared_samples");
    t2_json_array(j);
    for (int i = 0; i < DG_N_SHARED; i++) {
        if (shared[i].n_shared == 0)
            continue;
        t2_json_object(j);
        t2_json_kv_string(j, "split", dg_split_name(shared[i].in));
        t2_json_kv_string(j, "also_in", dg_split_name(shared[i].of));
        t2_json_kv_u64(j, "samples", shared[i].n_shared);
        t2_json_kv_u64(j, "looked_at", shared[i].n_looked_at);
        t2_json_kv_bool(j, "all", shared[i].is_all);
        t2_json_end_object(j);
    }
    t2_json_end_array(j);
}
