/*
 * train/ckpt/bundle_slices.c - what all entries of a bundle need, and partitioned variables: the
 * slices that an entry names must be there, of the sizes it says, and cover the variable exactly
 * once.
 */
#include "train/ckpt/bundle_slices.h"

#include <string.h>

#include "base/alloc.h"
#include "base/crc32c.h"

enum t2_status ckpt_bundle_bad(const struct ckpt_bundle *b, const char *name, const char *what,
                               struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': tensor '%s': %s", b->f->path, name, what);
}

enum t2_status ckpt_bundle_bytes(struct ckpt_bundle *b, const char *name,
                                 const struct ckpt_bundle_entry *e, struct t2_slice *bytes,
                                 struct t2_err *err)
{
    if (e->shard >= b->n_shards)
        return ckpt_bundle_bad(b, name, "it is in a data file that is not there", err);
    *bytes = b->shards[e->shard];
    if (e->offset > bytes->len_bytes || e->n_bytes > bytes->len_bytes - e->offset)
        return ckpt_bundle_bad(b, name, "it does not lie in its data file (cut short?)", err);
    T2_TRY(t2_budget_spend(&b->work, e->n_bytes, err));
    if (bytes->data) /* an empty file has none */
        bytes->data += e->offset;
    bytes->len_bytes = (size_t) e->n_bytes;
    return T2_OK;
}

enum t2_status ckpt_bundle_sizes(const struct ckpt_bundle *b, const char *name,
                                 const struct ckpt_bundle_entry *e, struct ckpt_tensor *t,
                                 struct t2_err *err)
{
    if (e->rank < 0)
        return ckpt_bundle_bad(b, name, "its shape is not known, or of more than 8 dimensions",
                               err);
    t->rank = e->rank;
    t->n_bytes = ckpt_type_bytes(t->type);
    for (int i = 0; i < e->rank; i++) {
        t->dims[i] = e->dims[i];
        if (!t2_mul_size(t->n_bytes, (size_t) t->dims[i], &t->n_bytes))
            return ckpt_bundle_bad(b, name, "its shape is too large", err);
    }
    return T2_OK;
}

/* By bytes, as the index is sorted. */
static const struct ckpt_bundle_item *find(const struct ckpt_bundle *b, struct t2_slice key)
{
    size_t low = 0, high = b->n_items;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct ckpt_bundle_item *item = &b->items[middle];
        struct t2_slice there = {(const uint8_t *) item->key, item->n_key};
        int order = t2_slice_cmp(there, key);

        if (order == 0)
            return item;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Makes all of "-1"; false when the slice does not lie in the variable. */
static bool settle(const struct ckpt_tensor *t, struct ckpt_bundle_extent *x)
{
    for (int i = 0; i < t->rank; i++) {
        if (x->length[i] == -1) {
            x->start[i] = 0;
            x->length[i] = t->dims[i];
        }
        if (x->start[i] < 0 || x->length[i] < 0 || x->start[i] > t->dims[i] ||
            x->length[i] > t->dims[i] - x->start[i])
            return false;
    }
    return true;
}

/* Copies a slice's rows (runs of the last dimension) to their places; false when an element was
 * there already. */
static bool copy_rows(const struct ckpt_tensor *t, const struct ckpt_bundle_extent *x,
                      const uint8_t *from, uint8_t *to, uint8_t *is_there)
{
    size_t size = ckpt_type_bytes(t->type);
    int last = t->rank - 1;
    size_t n_row = (size_t) x->length[last];
    int64_t at[CKPT_MAX_RANK] = {0};
    bool more = true;

    for (int i = 0; i < t->rank; i++)
        more = more && x->length[i] > 0;
    while (more) {
        size_t element = 0;

        for (int i = 0; i < t->rank; i++)
            element = element * (size_t) t->dims[i] + (size_t) (x->start[i] + at[i]);
        if (memchr(is_there + element, 1, n_row))
            return false;
        memset(is_there + element, 1, n_row);
        memcpy(to + element * size, from, n_row * size);
        from += n_row * size;
        more = false; /* the next row: count the outer dimensions up */
        for (int i = last - 1; i >= 0 && !more; i--) {
            more = ++at[i] < x->length[i];
            if (!more)
                at[i] = 0;
        }
    }
    return true;
}

static enum t2_status join_slice(struct ckpt_bundle *b, const struct ckpt_bundle_item *item,
                                 const struct ckpt_tensor *t, struct ckpt_bundle_extent *x,
                                 uint8_t *to, uint8_t *is_there, size_t *n_done, struct t2_err *err)
{
    const struct ckpt_bundle_item *slice;
    struct t2_slice bytes = {0};
    struct t2_buf key = {0};
    size_t n = 1;

    ckpt_bundle_put_slice_key(&key, item->key, t->rank, x);
    slice = find(b, t2_buf_slice(&key));
    t2_buf_release(&key);
    if (!slice)
        return ckpt_bundle_bad(b, item->key, "one of its slices is missing", err);
    if (!settle(t, x))
        return ckpt_bundle_bad(b, item->key, "one of its slices does not lie in it", err);
    for (int i = 0; i < t->rank; i++)
        n *= (size_t) x->length[i]; /* not more than the variable has */
    T2_TRY(ckpt_bundle_bytes(b, item->key, &slice->entry, &bytes, err));
    if (slice->entry.tf_type != item->entry.tf_type ||
        bytes.len_bytes != n * ckpt_type_bytes(t->type))
        return ckpt_bundle_bad(b, item->key, "one of its slices has another size or type", err);
    if (t2_crc_mask(t2_crc32c(0, bytes.data, bytes.len_bytes)) != slice->entry.masked_crc)
        return ckpt_bundle_bad(b, item->key, "the checksum of a slice is wrong", err);
    if (!copy_rows(t, x, bytes.data, to, is_there))
        return ckpt_bundle_bad(b, item->key, "its slices overlap", err);
    *n_done += n;
    return T2_OK;
}

enum t2_status ckpt_bundle_join(struct ckpt_bundle *b, const struct ckpt_bundle_item *item,
                                struct ckpt_tensor *t, struct t2_err *err)
{
    struct t2_slice rest = {(const uint8_t *) item->value, item->n_value};
    struct ckpt_bundle_extent extent;
    uint8_t *to, *is_there;
    size_t n_done = 0, n_all;
    enum t2_status st;

    T2_TRY(ckpt_bundle_sizes(b, item->key, &item->entry, t, err));
    if (t->rank == 0 || t->n_bytes > b->n_data - b->work.spent)
        return ckpt_bundle_bad(b, item->key, "its slices are larger than the data files", err);
    n_all = t->n_bytes / ckpt_type_bytes(t->type);
    to = t2_try_alloc(t->n_bytes, 1);
    is_there = t2_try_alloc(n_all, 1);
    st = to && is_there ? T2_OK : t2_fail(err, T2_ENOMEM, "not enough memory for '%s'", item->key);
    while (st == T2_OK) {
        st = ckpt_bundle_slice_next(&rest, t->rank, &extent);
        if (st == T2_OK)
            st = join_slice(b, item, t, &extent, to, is_there, &n_done, err);
        else if (st == T2_EFORMAT)
            st = ckpt_bundle_bad(b, item->key, "the list of its slices is damaged", err);
    }
    t2_free(is_there);
    if (st == T2_EOF && n_done != n_all)
        st = ckpt_bundle_bad(b, item->key, "its slices do not cover it", err);
    if (st != T2_EOF) {
        t2_free(to);
        return st;
    }
    t->data = ckpt_file_keep(b->f, to);
    return T2_OK;
}
