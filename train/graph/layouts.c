/*
 * train/graph/layouts.c - see the header.
 */
#include "train/graph/layouts.h"

#include <string.h>

#include "base/alloc.h"
#include "train/graph/late_values.h"

static enum dev_param_use use_of(const struct gr_node *node, int input)
{
    return node->op->param_use != DEV_USE_ANY && node->op->param_input == input
               ? node->op->param_use
               : DEV_USE_ANY;
}

/* The one way in which all nodes use the parameter; DEV_USE_ANY without one. */
static enum dev_param_use only_use(const struct gr_graph *g, const struct gr_tensor *t)
{
    enum dev_param_use only = DEV_USE_ANY;
    bool used = false;

    for (int n = 0; n < g->n_nodes; n++)
        for (int i = 0; i < g->nodes[n]->n_inputs; i++) {
            enum dev_param_use use = use_of(g->nodes[n], i);

            if (g->nodes[n]->inputs[i] != t)
                continue;
            if (use == DEV_USE_ANY || (used && use != only))
                return DEV_USE_ANY;
            used = true;
            only = use;
        }
    return only;
}

void gr_choose_layouts(struct gr_graph *g)
{
    const struct dev *d = g->dev;

    for (int i = 0; d->param_layout && i < g->n_tensors; i++) {
        const struct gr_tensor *t = g->tensors[i];
        struct gr_param *p = t->kind == GR_PARAM ? &g->params->params[t->param] : NULL;
        enum dev_param_use use;

        if (!p || p->n_variables != 1)
            continue;
        use = only_use(g, t);
        if (g->params->frozen) {
            T2_ASSERT(p->layout == 0 || use == p->use);
            continue;
        }
        p->use = use;
        p->layout = p->use == DEV_USE_ANY ? 0 : d->param_layout(d, p->use, p->rank, p->dims);
    }
}

static struct dev_laid laid_of(const struct gr_param *p)
{
    struct dev_laid l = {.layout = p->layout, .rank = p->rank, .offset = p->offset, .n = p->n};

    memcpy(l.dims, p->dims, sizeof l.dims);
    return l;
}

static int64_t count(const struct gr_params *p)
{
    int64_t n = 0;

    for (int i = 0; i < p->n_params; i++)
        n += p->params[i].layout != 0;
    return n;
}

uint64_t gr_layouts_bytes(const struct gr_params *p)
{
    return (uint64_t) count(p) * sizeof *p->laid;
}

enum t2_status gr_place_layouts(struct gr_params *p, struct t2_err *err)
{
    struct dev_laid *laid;
    int64_t n = 0;

    p->n_laid = count(p);
    if (p->n_laid == 0)
        return T2_OK;
    p->laid = p->dev->alloc(p->dev, gr_layouts_bytes(p));
    if (!p->laid)
        return dev_fail_memory(p->dev, gr_layouts_bytes(p), "the layouts of parameters", NULL, err);
    laid = t2_alloc((size_t) p->n_laid, sizeof *laid);
    for (int i = 0; i < p->n_params; i++)
        if (p->params[i].layout != 0)
            laid[n++] = laid_of(&p->params[i]);
    p->dev->upload_now(p->dev, p->laid, laid, gr_layouts_bytes(p));
    t2_free(laid);
    return T2_OK;
}

bool gr_is_laid(const struct gr_params *p, const struct gr_variable *v)
{
    return v && p->params[v->param].layout != 0;
}

void gr_upload(const struct gr_params *p, const struct gr_variable *like, float *values, int64_t at,
               const float *from, int64_t n)
{
    struct dev_laid laid;

    gr_values_changed(p); /* they may be what is uploaded */
    if (!gr_is_laid(p, like)) {
        p->dev->upload_now(p->dev, values + at, from, (size_t) n * sizeof *from);
        return;
    }
    laid = laid_of(&p->params[like->param]);
    p->dev->upload_param(p->dev, &laid, values, at, from, n);
}

void gr_download(const struct gr_params *p, const struct gr_variable *like, const float *values,
                 int64_t at, float *to, int64_t n)
{
    struct dev_laid laid;

    gr_late_make_all(p);
    if (!gr_is_laid(p, like)) {
        p->dev->download(p->dev, to, values + at, (size_t) n * sizeof *to);
        return;
    }
    laid = laid_of(&p->params[like->param]);
    p->dev->download_param(p->dev, &laid, values, at, to, n);
}
