/*
 * train/models/shortlist.c - see the header.
 */
#include "train/models/shortlist.h"

#include <string.h>

#include "base/alloc.h"
#include "train/ops/cast.h"
#include "train/ops/embed.h"
#include "train/ops/linear.h"

struct gr_tensor *mdl_step_logits(const struct mdl_build *b, struct mdl_step *parts,
                                  struct gr_tensor *x, struct gr_tensor *table)
{
    parts->table = table;
    return parts->shortlist > 0 ? nn_convert(b->g, x, DEV_FLOAT32) : nn_logits(b->g, x, table);
}

static size_t aligned(int64_t floats)
{
    size_t bytes = (size_t) floats * sizeof(float);

    return (bytes + DEV_ALIGN_BYTES - 1) / DEV_ALIGN_BYTES * DEV_ALIGN_BYTES;
}

static struct dev_packed_gemm product(const struct mdl_shortlist *s)
{
    return (struct dev_packed_gemm){.type = s->type,
                                    .M = s->beam,
                                    .N = s->W,
                                    .K = s->D,
                                    .packed = s->packs,
                                    .bias = s->bias,
                                    .activation = DEV_LINEAR,
                                    .scratch = s->scratch};
}

/* As a float32 graph: the table is of floats. */
static enum t2_status build_gather(struct mdl *m, const struct gr_tensor *table,
                                   struct mdl_shortlist *s, struct t2_err *err)
{
    const struct gr_params *params = &m->params;
    const struct gr_param *p = &params->params[table->param];
    struct gr_graph *g = s->gather.g = gr_new(m->dev, &m->params, false);
    struct nn_embed e = {.scale = 1.0};

    g->type = DEV_FLOAT32;
    e.ids = s->gather.targets = gr_ids(g, 2, (int64_t[]){1, s->W});
    e.table = gr_param(g, params->variables[p->first_variable].name, p->rank, p->dims, 0,
                       GR_INIT_DEFAULT, 0.0);
    T2_ASSERT(e.table->param == table->param);
    s->gather.logits = nn_embed(g, &e);
    return gr_finish(g, NULL, &s->gather.logits, 1, err);
}

enum t2_status mdl_shortlist_build(struct mdl *m, enum dev_type type, const struct mdl_step *parts,
                                   struct mdl_shortlist *s, struct t2_err *err)
{
    const struct dev_kernels *k = m->dev->kernels;
    struct dev_packed_gemm a;

    T2_ASSERT(parts->table && parts->table->rank == 2);
    *s = (struct mdl_shortlist){.type = type,
                                .beam = parts->beam,
                                .batch = parts->rows / parts->beam,
                                .W = parts->shortlist,
                                .D = parts->table->dims[1]};
    T2_TRY(build_gather(m, parts->table, s, err));
    a = product(s);
    s->pack_floats = k->pack_scratch_floats(m->dev, type, s->D, s->W);
    s->scratch_floats = k->packed_gemm_scratch_floats(m->dev, &a);
    s->bytes = (size_t) s->batch * (aligned(s->pack_floats) + aligned(s->W)) +
               aligned(s->scratch_floats) + aligned(s->batch * s->beam * s->W) +
               s->gather.g->arena_bytes;
    s->ids = t2_alloc((size_t) (s->batch * s->W), sizeof *s->ids);
    return T2_OK;
}

void mdl_shortlist_release(struct mdl_shortlist *s)
{
    gr_free(s->gather.g);
    t2_free(s->ids);
    *s = (struct mdl_shortlist){0};
}

void mdl_shortlist_bind(struct mdl_shortlist *s, void *place)
{
    char *at = place;

    s->packs = (void *) at;
    at += (size_t) s->batch * aligned(s->pack_floats);
    s->bias = (void *) at;
    at += (size_t) s->batch * aligned(s->W);
    s->scratch = (void *) at;
    at += aligned(s->scratch_floats);
    s->logits = (void *) at;
    at += aligned(s->batch * s->beam * s->W);
    gr_bind(s->gather.g, at);
}

/* Of source b, in memory that all sources share. */
static float *pack_of(const struct mdl_shortlist *s, int64_t b)
{
    return (float *) (void *) ((char *) s->packs + (size_t) b * aligned(s->pack_floats));
}

static float *bias_of(const struct mdl_shortlist *s, int64_t b)
{
    return (float *) (void *) ((char *) s->bias + (size_t) b * aligned(s->W));
}

void mdl_shortlist_set(struct mdl_shortlist *s, int32_t source, const int32_t *ids, int32_t n)
{
    const struct gr_context context = {.position = 0};
    struct dev *dev = s->gather.g->dev;
    int32_t *mine = s->ids + source * s->W;
    float *bias = t2_alloc((size_t) s->W, sizeof *bias);

    T2_ASSERT(n > 0 && n <= s->W);
    memcpy(mine, ids, (size_t) n * sizeof *ids);
    memset(mine + n, 0, (size_t) (s->W - n) * sizeof *mine); /* rows of zeros */
    for (int64_t i = n; i < s->W; i++)
        bias[i] = -1e9F;
    dev->upload_now(dev, s->gather.targets->ids, mine, (size_t) s->W * sizeof *mine);
    dev->upload_now(dev, bias_of(s, source), bias, (size_t) s->W * sizeof *bias);
    gr_run_forward(s->gather.g, &context);
    dev->kernels->pack(dev, &(struct dev_pack_args){.type = s->type,
                                                    .trans_b = true,
                                                    .K = s->D,
                                                    .N = s->W,
                                                    .B = s->gather.logits->value,
                                                    .ldb = s->D,
                                                    .packed = pack_of(s, source)});
    t2_free(bias);
}

struct mdl_logit_rows mdl_shortlist_logits(const struct mdl_shortlist *s, const float *x,
                                           const struct dev_live *live)
{
    struct dev *dev = s->gather.g->dev;

    for (int64_t b = 0; b < s->batch; b++) {
        struct dev_packed_gemm a = product(s);
        int64_t row = b * s->beam;

        if (live && !live->is_live[row]) /* a source rests as a whole */
            continue;
        a.A = x + row * s->D;
        a.C = s->logits + row * s->W;
        a.packed = pack_of(s, b);
        a.bias = bias_of(s, b);
        dev->kernels->packed_gemm(dev, &a);
    }
    return (struct mdl_logit_rows){.logits = s->logits,
                                   .rows = s->batch * s->beam,
                                   .V = s->W,
                                   .stride = s->W};
}

void mdl_shortlist_name(const struct mdl_shortlist *s, const struct dev_ask *asks,
                        struct dev_candidate *best, int64_t n)
{
    for (int64_t row = 0; row < s->batch * s->beam; row++) {
        const int32_t *mine = s->ids + row / s->beam * s->W;

        for (struct dev_candidate *c = best + row * n; asks[row].wanted && c < best + (row + 1) * n;
             c++)
            if (c->id >= 0)
                c->id = mine[c->id];
    }
}
