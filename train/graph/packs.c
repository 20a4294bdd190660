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
    for (int i = 0; i < p->n; i++) {
        p->params->dev->free(p->params->dev, p->items[i]->packed);
        t2_free(p->items[i]);
    }
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

    for (int i = 0; i < p->n; i++) {
        const struct gr_pack *k = p->items[i];
        uint64_t n_bytes = (uint64_t) (k->K * piece_of(k)) * sizeof(float);

        if (!k->packed && gr_stays_late(p->params, k->param) && n_bytes > most)
            most = n_bytes;
    }
    return most;
}

static size_t bytes_of(const struct gr_packs *p, int64_t K, int64_t N)
{
    const struct dev *d = p->params->dev;

    return (size_t) d->kernels->pack_scratch_floats(d, p->type, K, N) * sizeof(float);
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

/* scratch: gr_packs_scratch_bytes. */
static enum t2_status pack(struct gr_packs *p, struct gr_pack *k, float *scratch,
                           struct t2_err *err)
{
    const struct gr_params *params = p->params;
    struct dev *d = params->dev;
    size_t n_bytes = bytes_of(p, k->K, k->N);
    struct dev_pack_args a = {.type = p->type,
                              .trans_b = k->trans,
                              .K = k->K,
                              .N = k->N,
                              .B = params->values + params->params[k->param].offset,
                              .n = k->N,
                              .ldb = k->trans ? k->K : k->N};

    k->packed = d->alloc(d, n_bytes);
    if (!k->packed)
        return dev_fail_memory(d, n_bytes, "packed weights", NULL, err);
    a.packed = k->packed;
    if (!gr_stays_late(params, k->param)) {
        d->kernels->pack(d, &a);
        return T2_OK;
    }
    a.B = scratch;
    for (; a.first < k->N; a.first += a.n) {
        int64_t left = k->N - a.first;

        a.n = left < piece_of(k) ? left : piece_of(k);
        gr_late_make_to(params, k->param, k->trans ? a.first : 0, k->trans ? a.n : k->K, scratch);
        d->kernels->pack(d, &a);
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
    if (n_bytes > 0)
        scratch = d->alloc(d, n_bytes);
    if (n_bytes > 0 && !scratch)
        return dev_fail_memory(d, n_bytes, "weights that are packed", NULL, err);
    for (int i = 0; i < p->n; i++)
        if (!p->items[i]->packed)
            T2_GOTO(st, out, pack(p, p->items[i], scratch, err));
out:
    d->free(d, scratch);
    return st;
}
