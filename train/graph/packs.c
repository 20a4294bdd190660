/*
 * train/graph/packs.c - see the header.
 */
#include "train/graph/packs.h"

#include "base/alloc.h"
#include "train/graph/late_values.h"

void gr_packs_init(struct gr_packs *p, struct gr_params *params, enum dev_type type)
{
    *p = (struct gr_packs){.params = params, .type = type};
}

void gr_packs_release(struct gr_packs *p)
{
    for (int i = 0; i < p->n; i++)
        t2_free(p->items[i]);
    for (int i = 0; i < p->n_blocks; i++)
        p->params->dev->free(p->params->dev, p->blocks[i]);
    t2_free(p->blocks);
    t2_free(p->items);
    *p = (struct gr_packs){0};
}

/* Columns of a table of symbols that are made and packed at a time. */
enum { PIECE = 2048 };

/* Columns of a pack whose late weights are made at once. */
static int64_t piece_of(const struct gr_pack *k)
{
    return k->trans && k->N > PIECE ? PIECE : k->N;
}

uint64_t gr_packs_scratch_bytes(const struct gr_packs *p)
{
    uint64_t most = 0;

    for (int i = p->n_packed; i < p->n; i++) {
        const struct gr_pack *k = p->items[i];
        uint64_t n_bytes = (uint64_t) (k->K * piece_of(k)) * sizeof(float);

        if (gr_stays_late(p->params, k->param) && n_bytes > most)
            most = n_bytes;
    }
    return most;
}

/* Of its place in a block. */
static size_t bytes_of(const struct gr_packs *p, int64_t K, int64_t N)
{
    const struct dev *d = p->params->dev;
    size_t n = (size_t) d->kernels->pack_scratch_floats(d, p->type, K, N) * sizeof(float);

    return (n + DEV_ALIGN_BYTES - 1) / DEV_ALIGN_BYTES * DEV_ALIGN_BYTES;
}

const struct gr_pack *gr_pack_of(struct gr_graph *g, const struct gr_tensor *w, bool trans,
                                 int64_t K, int64_t N)
{
    struct gr_packs *p = g->packs;
    struct gr_pack *pack;

    if (!p || w->kind != GR_PARAM || w->layout != 0 || K > DEV_PACKED_MOST_K)
        return NULL;
    for (int i = 0; i < p->n; i++)
        if (p->items[i]->param == w->param && p->items[i]->trans == trans && p->items[i]->K == K)
            return p->items[i];
    if (p->n == p->capacity) {
        p->capacity = p->capacity ? 2 * p->capacity : 64;
        p->items = t2_realloc(p->items, (size_t) p->capacity, sizeof *p->items);
    }
    p->items[p->n++] = pack = t2_alloc(1, sizeof *pack);
    *pack = (struct gr_pack){.param = w->param, .trans = trans, .K = K, .N = N};
    p->bytes += bytes_of(p, K, N);
    return pack;
}

/* Columns [a->first, a->first + a->n) from the numbers of a file.  scratch: gr_packs_scratch_bytes;
 * whole numbers and their scales take less than floats would. */
static void pack_late(const struct gr_packs *p, const struct gr_pack *k, struct dev_pack_args *a,
                      float *scratch)
{
    int64_t row = k->trans ? a->first : 0, n_rows = k->trans ? a->n : k->K;
    int8_t *whole = (int8_t *) (scratch + a->n);

    a->whole = NULL;
    a->B = NULL;
    if (p->type == DEV_INT8 && k->K > 1 &&
        gr_late_copy_whole(p->params, k->param, k->trans, row, n_rows, whole, scratch)) {
        a->whole = whole;
        a->scales = scratch;
    } else {
        gr_late_make_to(p->params, k->param, row, n_rows, scratch);
        a->B = scratch;
    }
    p->params->dev->kernels->pack(p->params->dev, a);
}

static void pack(const struct gr_packs *p, const struct gr_pack *k, float *scratch)
{
    const struct gr_params *params = p->params;
    struct dev *d = params->dev;
    struct dev_pack_args a = {.type = p->type,
                              .trans_b = k->trans,
                              .K = k->K,
                              .N = k->N,
                              .B = params->values + params->params[k->param].offset,
                              .n = k->N,
                              .ldb = k->trans ? k->K : k->N,
                              .packed = k->packed};

    if (!gr_stays_late(params, k->param)) {
        d->kernels->pack(d, &a);
        return;
    }
    for (; a.first < k->N; a.first += a.n) {
        int64_t left = k->N - a.first;

        a.n = left < piece_of(k) ? left : piece_of(k);
        pack_late(p, k, &a, scratch);
    }
}

/* The new ones get places in one block, whose pages the threads that pack are the first to use. */
static enum t2_status place(struct gr_packs *p, struct t2_err *err)
{
    struct dev *d = p->params->dev;
    size_t n_bytes = 0, at = 0;
    char *block;

    for (int i = p->n_packed; i < p->n; i++)
        n_bytes += bytes_of(p, p->items[i]->K, p->items[i]->N);
    block = d->alloc(d, n_bytes);
    if (!block)
        return dev_fail_memory(d, n_bytes, "packed weights", NULL, err);
    p->blocks = t2_realloc(p->blocks, (size_t) p->n_blocks + 1, sizeof *p->blocks);
    p->blocks[p->n_blocks++] = block;
    for (int i = p->n_packed; i < p->n; i++) {
        p->items[i]->packed = (float *) (void *) (block + at);
        at += bytes_of(p, p->items[i]->K, p->items[i]->N);
    }
    return T2_OK;
}

enum t2_status gr_packs_make(struct gr_packs *p, struct t2_err *err)
{
    struct dev *d = p->params->dev;
    enum t2_status st = T2_OK;
    float *scratch = NULL;
    uint64_t n_bytes = gr_packs_scratch_bytes(p);

    gr_late_make_wanted(p->params);
    if (p->n_packed == p->n)
        return T2_OK;
    if (n_bytes > 0)
        scratch = d->alloc(d, n_bytes);
    if (n_bytes > 0 && !scratch)
        return dev_fail_memory(d, n_bytes, "weights that are packed", NULL, err);
    T2_GOTO(st, out, place(p, err));
    for (; p->n_packed < p->n; p->n_packed++)
        pack(p, p->items[p->n_packed], scratch);
out:
    d->free(d, scratch);
    return st;
}
