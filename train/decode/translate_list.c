/*
 * train/decode/translate_list.c - see the header.
 */
#include "train/decode/translate_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

enum { DEFAULT_BATCH = 32, SHORT = 32 /* a difference that does not matter */ };

/* A text that is to be translated. */
struct item {
    size_t at; /* in the list */
    struct tok_ids ids;
};

bool dec_shares_batch(size_t longest, size_t n)
{
    return longest <= 2 * n + SHORT;
}

/* Falling length; of equals the earlier text first. */
static int by_length(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->ids.n != y->ids.n)
        return x->ids.n > y->ids.n ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

static enum t2_status encode(struct dec_translator *t, struct t2_slice text, size_t at,
                             struct tok_ids *ids, size_t *n_cut, struct t2_err *err)
{
    size_t bad = t2_utf8_invalid_at(text.data, text.len_bytes), cut;

    if (bad < text.len_bytes)
        return t2_fail(err, T2_EFORMAT, "text %zu, byte %zu: not UTF-8 (0x%02x)", at, bad,
                       text.data[bad]);
    if (dec_encode(t, text, ids, &cut, err) != T2_OK)
        return t2_wrap(err, "text %zu", at);
    *n_cut += cut > 0;
    return T2_OK;
}

/* Items, the longest first, from *done on: one batch of them. */
static enum t2_status run_batch(struct dec_translator *t, const struct dec_hparams *hp,
                                const struct item *items, size_t n_items, size_t *done,
                                struct dec_hypothesis *out, struct t2_err *err)
{
    size_t size = hp->batch_size > 0 ? (size_t) hp->batch_size : DEFAULT_BATCH;
    size_t n_best = (size_t) dec_n_best(hp), left = n_items - *done;
    const struct item *first = items + *done;
    struct tok_ids *sources;
    struct dec_hypothesis *h;
    int32_t n = 0, n_fit;
    enum t2_status st;

    size = size < left ? size : left;
    while ((size_t) n < size && dec_shares_batch(first->ids.n, first[n].ids.n))
        n++;
    T2_TRY(dec_fit(t, first->ids.n, n, &n_fit, err));
    sources = t2_alloc((size_t) n_fit, sizeof *sources);
    h = t2_alloc((size_t) n_fit * n_best, sizeof *h);
    for (int32_t i = 0; i < n_fit; i++)
        sources[i] = first[i].ids; /* borrowed */
    st = dec_translate(t, sources, n_fit, h, err);
    for (int32_t i = 0; i < n_fit; i++)
        memcpy(out + first[i].at * n_best, h + (size_t) i * n_best, n_best * sizeof *h);
    *done += (size_t) n_fit;
    t2_free(h);
    t2_free(sources);
    return st;
}

enum t2_status dec_translate_list(struct dec_translator *t, const struct dec_hparams *hp,
                                  const struct t2_slice *texts, size_t n,
                                  struct dec_hypothesis *out, size_t *n_cut, struct t2_err *err)
{
    struct item *items = t2_alloc(n, sizeof *items);
    size_t n_items = 0, done = 0;
    enum t2_status st = T2_OK;

    *n_cut = 0;
    for (size_t i = 0; i < n && st == T2_OK; i++) {
        struct item *item = &items[n_items];

        item->at = i;
        st = encode(t, texts[i], i, &item->ids, n_cut, err);
        if (item->ids.n > 0)
            n_items++;
        else
            tok_ids_release(&item->ids);
    }
    qsort(items, n_items, sizeof *items, by_length);
    while (st == T2_OK && done < n_items)
        st = run_batch(t, hp, items, n_items, &done, out, err);
    for (size_t i = 0; i < n_items; i++)
        tok_ids_release(&items[i].ids);
    t2_free(items);
    return st;
}
