/*
 * tfrecord/external_extents.c - reading what was spilled of a bucket.
 */
#include "tfrecord/external_extents.h"

#include <string.h>

#include "base/alloc.h"
#include "tfrecord/external_file.h"
#include "tfrecord/external_order.h"
#include "tfrecord/framing.h"

enum { WINDOW_BYTES = 256 << 10 };

void tfr_extents_add(struct tfr_extents *x, uint64_t offset, uint64_t len_bytes)
{
    x->items = t2_realloc(x->items, x->n + 1, sizeof *x->items);
    x->items[x->n++] = (struct tfr_extent){offset, len_bytes};
}

uint64_t tfr_extents_bytes(const struct tfr_extents *x)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < x->n; i++)
        sum += x->items[i].len_bytes;
    return sum;
}

enum t2_status tfr_extents_read(const struct tfr_extents *x, const struct tfr_external_file *f,
                                uint8_t *to, struct t2_err *err)
{
    for (size_t i = 0; i < x->n; i++) {
        size_t n = (size_t) x->items[i].len_bytes;
        T2_TRY(tfr_external_file_read(f, x->items[i].offset, to, n, err));
        to += n;
    }
    return T2_OK;
}

void tfr_extents_forget(const struct tfr_extents *x, struct tfr_external_file *f)
{
    for (size_t i = 0; i < x->n; i++)
        tfr_external_file_forget(f, x->items[i].offset, x->items[i].len_bytes);
}

void tfr_extents_release(struct tfr_extents *x)
{
    t2_free(x->items);
    *x = (struct tfr_extents){NULL, 0};
}

/* ---- items ---- */

static enum t2_status refill(struct tfr_item_reader *r, struct t2_err *err)
{
    T2_ASSERT(r->extent < r->extents->n);
    const struct tfr_extent *x = &r->extents->items[r->extent];
    uint64_t left = x->len_bytes - r->at;
    size_t n = left < WINDOW_BYTES ? (size_t) left : WINDOW_BYTES;

    t2_buf_clear(&r->window);
    uint8_t *to = t2_buf_reserve(&r->window, n);
    T2_TRY(tfr_external_file_read(r->file, x->offset + r->at, to, n, err));
    r->window.len_bytes = n;
    r->pos = 0;
    r->at += n;
    if (r->at == x->len_bytes) {
        r->extent++;
        r->at = 0;
    }
    return T2_OK;
}

/* Appends n_bytes to the item. */
static enum t2_status take(struct tfr_item_reader *r, size_t n_bytes, struct t2_err *err)
{
    while (n_bytes > 0) {
        if (r->pos == r->window.len_bytes)
            T2_TRY(refill(r, err));
        size_t n = r->window.len_bytes - r->pos;
        if (n > n_bytes)
            n = n_bytes;
        t2_buf_append(&r->item, r->window.data + r->pos, n);
        r->pos += n;
        n_bytes -= n;
    }
    return T2_OK;
}

enum t2_status tfr_item_reader_next(struct tfr_item_reader *r, uint64_t *key,
                                    struct t2_slice *frame, struct t2_err *err)
{
    enum { HEAD_BYTES = TFR_SHUFFLE_KEY_BYTES + TFR_HEADER_BYTES };

    t2_buf_clear(&r->item);
    T2_TRY(take(r, HEAD_BYTES, err));
    T2_TRY(take(r, tfr_shuffle_item_bytes(r->item.data) - HEAD_BYTES, err));
    memcpy(key, r->item.data, TFR_SHUFFLE_KEY_BYTES);
    *frame = (struct t2_slice){r->item.data + TFR_SHUFFLE_KEY_BYTES,
                               r->item.len_bytes - TFR_SHUFFLE_KEY_BYTES};
    return T2_OK;
}

void tfr_item_reader_release(struct tfr_item_reader *r)
{
    t2_buf_release(&r->window);
    t2_buf_release(&r->item);
}
