/*
 * tests/fuzz/fuzz_page_histories.c - dumps of page histories become pages, their revisions texts,
 * and two of those pairs: no crash on any bytes.  The first two bytes choose how large a page may
 * be.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "datagen/problems/page_histories.h"
#include "datagen/problems/revision_pairs.h"
#include "datagen/problems/revision_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct all {
    struct dg_pairs pairs;
    struct dg_revision_scratch scratch;
    struct t2_buf text, with_errors;
    struct tok_ids ids[2];
    size_t n_pairs;
};

static enum t2_status give(void *context, void *data, size_t len_bytes, size_t *n_read,
                           struct t2_err *err)
{
    struct t2_slice *left = context;

    (void) err;
    *n_read = len_bytes < left->len_bytes ? len_bytes : left->len_bytes;
    if (*n_read)
        memcpy(data, left->data, *n_read);
    left->data += *n_read;
    left->len_bytes -= *n_read;
    return T2_OK;
}

static enum t2_status count(void *context, const int32_t *source, size_t n_source,
                            const int32_t *target, size_t n_target, struct t2_err *err)
{
    struct all *a = context;

    (void) err;
    if (source[n_source - 1] < 0 || target[n_target - 1] < 0)
        abort();
    a->n_pairs++;
    return T2_OK;
}

/* Bytes serve as ids. */
static void take_ids(const struct t2_buf *text, struct tok_ids *ids)
{
    ids->n = 0;
    for (size_t i = 0; i < text->len_bytes; i++)
        tok_ids_push(ids, text->data[i]);
}

static void take_page(struct all *a, const struct dg_page_history *page)
{
    struct t2_err err = T2_ERR_INIT;

    for (size_t i = 0; i < page->n_revisions; i++) {
        struct tok_ids *ids = &a->ids[i % 2];
        if (dg_revision_text(page->revisions[i], &a->scratch, &a->text, &err) != T2_OK)
            return;
        dg_pairs_bring_errors(&a->pairs, t2_buf_slice(&a->text), &a->with_errors);
        take_ids(i % 2 ? &a->with_errors : &a->text, ids);
        if (i > 0 && dg_pairs_cut(&a->pairs, &a->ids[(i + 1) % 2], ids, count, a, &err) != T2_OK)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct all a = {.pairs = {.max_length = 256, .percent_identical = 0.5, .max_equal_to_diff = 1}};
    struct dg_drops drops = {.n = 0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_page_history page;
    struct dg_histories *h;
    struct t2_slice left;
    struct t2_in *in;

    if (size < 2)
        return 0;
    left = (struct t2_slice){data + 2, size - 2};
    t2_mt_seed_python(&a.pairs.mt, 123);
    t2_in_new_from("fuzz", give, &left, &in);
    h = dg_histories_of(in, "fuzz", data[0] + 256U * data[1], &drops);
    while (dg_histories_next(h, &page, &err) == T2_OK)
        take_page(&a, &page);
    dg_histories_free(h);
    dg_drops_release(&drops);
    dg_pairs_release(&a.pairs);
    dg_revision_scratch_release(&a.scratch);
    t2_buf_release(&a.text);
    t2_buf_release(&a.with_errors);
    tok_ids_release(&a.ids[0]);
    tok_ids_release(&a.ids[1]);
    return 0;
}
