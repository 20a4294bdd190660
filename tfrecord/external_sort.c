/*
 * tfrecord/external_sort.c - the memory of a sorter, and its sorted runs.
 *
 * One block of memory: items grow from its front, their entries from its back.  When they meet, the
 * entries are sorted and the items written as a run.  external_merge.c joins the runs.
 *
 *   block:  | item | item | item ->              free              <- entry | entry | entry |
 *           0                 used_bytes                                         block_bytes
 *
 * An item is a head with the two lengths, the key, the data (external_file.h).  Equal keys keep
 * their order: the offset decides, and of equal keys in several runs the earlier run wins.
 */
#include "tfrecord/external_sort.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/signals.h"
#include "tfrecord/external_file.h"
#include "tfrecord/external_merge.h"

enum { WRITE_BYTES = 1 << 20, INSERTION = 16 };

struct entry {
    uint64_t prefix; /* of the key, so that most comparisons need not look at it */
    uint64_t offset; /* of the item in the block; later items have larger ones */
};

struct tfr_sorter {
    char *dir;
    uint8_t *block;
    size_t block_bytes;
    size_t used_bytes; /* by items, from the front */
    size_t n;          /* entries, from the back */
    struct tfr_external_file *file;
    struct tfr_run *runs;
    size_t n_runs, n_runs_written;
    struct t2_buf out; /* of the run that is written */
    struct tfr_merge *merge;
    size_t next; /* entry, when all is in memory */
};

enum t2_status tfr_sorter_new(const char *tmp_dir, uint64_t max_memory, struct tfr_sorter **s,
                              struct t2_err *err)
{
    size_t bytes = max_memory < TFR_SORT_MIN_MEMORY ? TFR_SORT_MIN_MEMORY : (size_t) max_memory;
    uint8_t *block;

    *s = NULL;
    bytes -= bytes % sizeof(struct entry);
    block = t2_try_alloc(bytes, 1);
    if (!block)
        return t2_fail(err, T2_ENOMEM, "no memory for %zu bytes (--max_memory)", bytes);
    *s = t2_alloc(1, sizeof **s);
    (*s)->dir = t2_strdup(tmp_dir);
    (*s)->block = block;
    (*s)->block_bytes = bytes;
    return T2_OK;
}

void tfr_sorter_free(struct tfr_sorter *s)
{
    if (!s)
        return;
    tfr_merge_free(s->merge);
    tfr_external_file_free(s->file);
    t2_buf_release(&s->out);
    t2_free(s->runs);
    t2_free(s->block);
    t2_free(s->dir);
    t2_free(s);
}

size_t tfr_sorter_runs(const struct tfr_sorter *s)
{
    return s->n_runs_written;
}

/* ---- sorting the entries ---- */

static struct entry *entries(const struct tfr_sorter *s)
{
    return (struct entry *) (void *) (s->block + s->block_bytes) - s->n;
}

/*
 * A total order: no two entries are equal, so an unstable sort keeps equal keys in their order. A
 * prefix of a key shorter than 8 bytes ends in zeros; "a" and "a\0" then have the same and are
 * compared in full.
 */
static bool before(const struct tfr_sorter *s, struct entry a, struct entry b)
{
    struct t2_slice key_a, key_b, data;

    if (a.prefix != b.prefix)
        return a.prefix < b.prefix;
    tfr_item_split(s->block + a.offset, &key_a, &data);
    tfr_item_split(s->block + b.offset, &key_b, &data);
    int c = t2_slice_cmp(key_a, key_b);
    return c != 0 ? c < 0 : a.offset < b.offset;
}

static void insertion_sort(const struct tfr_sorter *s, struct entry *e, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct entry moved = e[i];
        size_t j = i;
        for (; j > 0 && before(s, moved, e[j - 1]); j--)
            e[j] = e[j - 1];
        e[j] = moved;
    }
}

static void sift_down(const struct tfr_sorter *s, struct entry *e, size_t root, size_t n)
{
    struct entry moved = e[root];

    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && before(s, e[child], e[child + 1]))
            child++;
        if (!before(s, moved, e[child]))
            break;
        e[root] = e[child];
    }
    e[root] = moved;
}

static void heap_sort(const struct tfr_sorter *s, struct entry *e, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sift_down(s, e, i, n);
    for (size_t i = n; i-- > 1;) {
        struct entry largest = e[0];
        e[0] = e[i];
        e[i] = largest;
        sift_down(s, e, 0, i);
    }
}

/* The middle one of first, middle, last. */
static struct entry pivot_of(const struct tfr_sorter *s, const struct entry *e, size_t n)
{
    struct entry a = e[0];
    struct entry b = e[n / 2];
    struct entry c = e[n - 1];

    if (before(s, b, a)) {
        struct entry t = a;
        a = b;
        b = t;
    }
    if (before(s, c, b))
        b = before(s, c, a) ? a : c;
    return b;
}

/*
 * Introsort (Musser 1997): quick sort in place with Hoare's partition and the median of three;
 * insertion sort for 16 entries and fewer; heap sort below a depth of 2 log2(n) + 2, where the
 * input defeats the choice of pivots.  Not qsort of the C library, which may take as much memory
 * again.
 */
static void sort_entries(const struct tfr_sorter *s, struct entry *e, size_t n, int depth)
{
    while (n > INSERTION) {
        if (depth-- == 0) {
            heap_sort(s, e, n);
            return;
        }
        struct entry pivot = pivot_of(s, e, n);
        size_t i = 0;
        size_t j = n - 1;
        for (;; i++, j--) {
            while (before(s, e[i], pivot))
                i++;
            while (before(s, pivot, e[j]))
                j--;
            if (i >= j)
                break;
            struct entry t = e[i];
            e[i] = e[j];
            e[j] = t;
        }
        /* e[0 .. j] <= pivot <= e[j + 1 ..]; the smaller part by recursion */
        size_t n_left = j + 1;
        if (n_left < n - n_left) {
            sort_entries(s, e, n_left, depth);
            e += n_left;
            n -= n_left;
        } else {
            sort_entries(s, e + n_left, n - n_left, depth);
            n = n_left;
        }
    }
    insertion_sort(s, e, n);
}

static void sort_block(const struct tfr_sorter *s)
{
    int depth = 2;

    for (size_t n = s->n; n > 1; n /= 2)
        depth += 2;
    sort_entries(s, entries(s), s->n, depth);
}

/* ---- runs ---- */

static enum t2_status flush(struct tfr_sorter *s, struct t2_err *err)
{
    enum t2_status st = tfr_external_file_append(s->file, s->out.data, s->out.len_bytes, err);

    s->out.len_bytes = 0;
    return st;
}

static enum t2_status spill(struct tfr_sorter *s, struct t2_err *err)
{
    const struct entry *e = entries(s);

    if (s->n == 0)
        return T2_OK;
    if (!s->file)
        T2_TRY(tfr_external_file_new(s->dir, &s->file, err));
    sort_block(s);
    s->runs = t2_realloc(s->runs, s->n_runs + 1, sizeof *s->runs);
    s->runs[s->n_runs].begin = tfr_external_file_bytes(s->file);
    s->runs[s->n_runs].largest_bytes = 0;
    for (size_t i = 0; i < s->n; i++) {
        const uint8_t *item = s->block + e[i].offset;
        size_t n = tfr_item_bytes(item);

        if (n > s->runs[s->n_runs].largest_bytes)
            s->runs[s->n_runs].largest_bytes = n;
        if (n >= WRITE_BYTES) { /* not through the buffer */
            T2_TRY(flush(s, err));
            T2_TRY(tfr_external_file_append(s->file, item, n, err));
            continue;
        }
        t2_buf_append(&s->out, item, n);
        if (s->out.len_bytes >= WRITE_BYTES)
            T2_TRY(flush(s, err));
    }
    T2_TRY(flush(s, err));
    s->runs[s->n_runs].end = tfr_external_file_bytes(s->file);
    s->n_runs++;
    s->n_runs_written++;
    s->used_bytes = 0;
    s->n = 0;
    return t2_check_interrupt(err);
}

/* For an item that is larger than the whole (now empty) block. */
static enum t2_status grow(struct tfr_sorter *s, size_t need_bytes, struct t2_err *err)
{
    size_t bytes = need_bytes + sizeof(struct entry);
    uint8_t *block;

    bytes += sizeof(struct entry) - bytes % sizeof(struct entry);
    block = t2_try_alloc(bytes, 1);
    if (!block)
        return t2_fail(err, T2_ENOMEM, "no memory for a record of %zu bytes", need_bytes);
    t2_free(s->block);
    s->block = block;
    s->block_bytes = bytes;
    return T2_OK;
}

/*
 * The first 8 bytes as a big-endian number, so that comparing numbers compares the bytes in order.
 */
static uint64_t prefix_of(struct t2_slice key)
{
    uint64_t prefix = 0;

    for (size_t i = 0; i < sizeof prefix; i++)
        prefix = prefix << 8 | (i < key.len_bytes ? key.data[i] : 0);
    return prefix;
}

enum t2_status tfr_sorter_add(struct tfr_sorter *s, struct t2_slice key, struct t2_slice data,
                              struct t2_err *err)
{
    size_t item_bytes = TFR_ITEM_HEAD + key.len_bytes + data.len_bytes;
    size_t free_bytes = s->block_bytes - s->used_bytes - s->n * sizeof(struct entry);

    T2_ASSERT(!s->merge);
    if (key.len_bytes > UINT32_MAX)
        return t2_fail(err, T2_EUNSUPPORTED, "a key of %zu bytes is too large to sort by",
                       key.len_bytes);
    if (free_bytes < sizeof(struct entry) || free_bytes - sizeof(struct entry) < item_bytes) {
        T2_TRY(spill(s, err));
        if (s->block_bytes - sizeof(struct entry) < item_bytes)
            T2_TRY(grow(s, item_bytes, err));
    }
    s->n++;
    *entries(s) = (struct entry){prefix_of(key), s->used_bytes};
    tfr_item_put(s->block + s->used_bytes, key, data);
    s->used_bytes += item_bytes;
    return T2_OK;
}

/* ---- reading ---- */

enum t2_status tfr_sorter_finish(struct tfr_sorter *s, struct t2_err *err)
{
    if (s->n_runs == 0) {
        sort_block(s);
        return T2_OK;
    }
    T2_TRY(spill(s, err));
    t2_buf_release(&s->out);
    t2_free(s->block); /* the merge has buffers of its own */
    s->block = NULL;
    return tfr_merge_new(s->dir, &s->file, &s->runs, &s->n_runs, s->block_bytes, &s->merge, err);
}

enum t2_status tfr_sorter_next(struct tfr_sorter *s, struct t2_slice *key, struct t2_slice *data,
                               struct t2_err *err)
{
    if (s->merge)
        return tfr_merge_next(s->merge, key, data, err);
    if (s->next == s->n)
        return T2_EOF;
    tfr_item_split(s->block + entries(s)[s->next++].offset, key, data);
    return T2_OK;
}
