/*
 * tfrec/chosen_records.c - the records with the smallest keys, in a heap.
 */
#include "tfrec/chosen_records.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tfrec/row_flags.h"

enum { FIRST_ALLOCATED = 16 };

static bool is_larger(const struct rec_chosen *a, const struct rec_chosen *b)
{
    return a->key != b->key ? a->key > b->key : a->number > b->number;
}

static void swap(struct rec_chosen *a, struct rec_chosen *b)
{
    struct rec_chosen t = *a;

    *a = *b;
    *b = t;
}

static void sift_up(struct rec_keeper *k, size_t i)
{
    while (i > 0 && is_larger(&k->kept[i], &k->kept[(i - 1) / 2])) {
        swap(&k->kept[i], &k->kept[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
}

static void sift_down(struct rec_keeper *k, size_t i)
{
    for (;;) {
        size_t largest = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < k->n; child++) {
            if (is_larger(&k->kept[child], &k->kept[largest]))
                largest = child;
        }
        if (largest == i)
            return;
        swap(&k->kept[i], &k->kept[largest]);
        i = largest;
    }
}

static void fill(struct rec_chosen *to, uint64_t key, const struct tfr_batch *b, size_t i)
{
    to->key = key;
    to->number = b->first + i;
    to->first_in_file = b->first_in_file + i;
    to->offset = b->records[i].offset;
    to->path = b->file->path;
    t2_buf_clear(&to->payload);
    t2_buf_append(&to->payload, b->records[i].data.data, b->records[i].data.len_bytes);
}

void rec_keep(struct rec_keeper *k, uint64_t key, const struct tfr_batch *b, size_t i)
{
    const struct rec_chosen candidate = {.key = key, .number = b->first + i};

    if (k->capacity == 0)
        return;
    if (k->n == k->capacity) {
        if (!is_larger(&k->kept[0], &candidate))
            return;
        fill(&k->kept[0], key, b, i);
        sift_down(k, 0);
        return;
    }
    if (k->n == k->allocated) {
        k->allocated = k->allocated == 0 ? FIRST_ALLOCATED : 2 * k->allocated;
        k->kept = t2_realloc(k->kept, k->allocated, sizeof *k->kept);
    }
    k->kept[k->n] = (struct rec_chosen){0};
    fill(&k->kept[k->n], key, b, i);
    sift_up(k, k->n++);
}

static int by_number(const void *a, const void *b)
{
    const struct rec_chosen *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

enum t2_status rec_keeper_show(struct rec_keeper *k, const struct rec_row_options *o,
                               struct t2_err *err)
{
    struct rec_row row = {0};
    struct t2_buf text = {0};
    struct t2_out *out = NULL;
    struct t2_err late = T2_ERR_INIT;
    enum t2_status st = T2_OK, closed;

    if (k->n > 0)
        qsort(k->kept, k->n, sizeof *k->kept, by_number);
    T2_TRY(t2_out_new("-", &out, err));
    for (size_t i = 0; st == T2_OK && i < k->n; i++) {
        const struct rec_chosen *r = &k->kept[i];
        t2_buf_clear(&text);
        st = rec_row_show(o, &row, r->number, t2_buf_slice(&r->payload), &text, err);
        if (st != T2_OK)
            st = t2_wrap(err, "'%s': record %" PRIu64 " at offset %" PRIu64, r->path,
                         r->first_in_file, r->offset);
        else
            t2_out_write(out, text.data, text.len_bytes);
    }
    rec_row_release(&row);
    t2_buf_release(&text);
    closed = t2_out_commit(out, &late);
    if (st == T2_OK && closed != T2_OK) {
        *err = late;
        st = closed;
    }
    return st;
}

void rec_keeper_release(struct rec_keeper *k)
{
    for (size_t i = 0; i < k->n; i++)
        t2_buf_release(&k->kept[i].payload);
    t2_free(k->kept);
    *k = (struct rec_keeper){0};
}
