/*
 * train/graph/plan.c - places in the arena by lifetime.
 */
#include "train/graph/plan.h"

#include <stdlib.h>

#include "base/alloc.h"

enum { ALIGNMENT = 64 };

/* One buffer of the arena: alive from `first` to `last`, both included. */
struct life {
    size_t bytes;
    int first, last;
    size_t *offset; /* where the answer goes */
    int order;      /* of creation: ties are broken by it */
};

struct lives {
    struct life *items;
    int n;
};

static void add_life(struct lives *l, int64_t n, size_t *offset, int first, int last)
{
    struct life *life = &l->items[l->n];

    life->bytes = ((size_t) n * sizeof(float) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    life->offset = offset;
    life->first = first;
    life->last = last;
    life->order = l->n++;
}

/* First and last moment of a use; last < 0 = none yet. */
struct span {
    int first, last;
};

static void include(struct span *s, int moment)
{
    if (s->last < 0) {
        s->first = s->last = moment;
        return;
    }
    s->first = moment < s->first ? moment : s->first;
    s->last = moment > s->last ? moment : s->last;
}

/* Moments at which values and gradients are touched. */
static void find_spans(const struct gr_graph *g, struct span *value, struct span *grad)
{
    int end = 2 * g->n_nodes - 1;

    for (int n = 0; n < g->n_nodes; ++n) {
        const struct gr_node *node = g->nodes[n];
        int back = end - n;

        for (int o = 0; o < node->n_outputs; ++o) {
            int t = node->outputs[o]->index;

            include(&value[t], n);
            if (node->backward && (node->op->bwd_uses_outputs >> o & 1))
                include(&value[t], back);
            if (node->backward && node->outputs[o]->has_grad)
                include(&grad[t], back);
        }
        for (int i = 0; i < node->n_inputs; ++i) {
            int t;

            if (!node->inputs[i])
                continue;
            t = node->inputs[i]->index;
            include(&value[t], n);
            if (node->backward && (node->op->bwd_uses_inputs >> i & 1))
                include(&value[t], back);
            if (node->backward && node->inputs[i]->needs_grad)
                include(&grad[t], back);
        }
    }
}

static int by_size(const void *a, const void *b)
{
    const struct life *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x->order < y->order ? -1 : 1;
}

static int by_offset(const void *a, const void *b)
{
    const struct life *x = *(const struct life *const *) a, *y = *(const struct life *const *) b;

    if (*x->offset != *y->offset)
        return *x->offset < *y->offset ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Places lives in order of size; returns the end of the arena. */
static size_t place_all(struct lives *l)
{
    const struct life **busy = t2_alloc((size_t) l->n + 1, sizeof(const struct life *));
    size_t end = 0;

    qsort(l->items, (size_t) l->n, sizeof *l->items, by_size);
    for (int i = 0; i < l->n; ++i) {
        struct life *life = &l->items[i];
        size_t at = 0;
        int n_busy = 0;

        for (int j = 0; j < i; ++j)
            if (l->items[j].first <= life->last && l->items[j].last >= life->first)
                busy[n_busy++] = &l->items[j];
        qsort(busy, (size_t) n_busy, sizeof *busy, by_offset);
        for (int j = 0; j < n_busy && at + life->bytes > *busy[j]->offset; ++j) {
            size_t behind = *busy[j]->offset + busy[j]->bytes;

            at = behind > at ? behind : at;
        }
        *life->offset = at;
        end = at + life->bytes > end ? at + life->bytes : end;
    }
    t2_free(busy);
    return end;
}

void gr_plan(struct gr_graph *g, struct gr_tensor *const *keep, int n_keep)
{
    struct lives lives = {0};
    int end = 2 * g->n_nodes;
    struct span *value = t2_alloc((size_t) g->n_tensors + 1, sizeof *value);
    struct span *grad = t2_alloc((size_t) g->n_tensors + 1, sizeof *grad);

    lives.items = t2_alloc(2 * (size_t) (g->n_tensors + g->n_nodes) + 1, sizeof *lives.items);
    for (int t = 0; t < g->n_tensors; ++t)
        value[t].last = grad[t].last = -1;
    find_spans(g, value, grad);
    for (int k = 0; k < n_keep; ++k)
        include(&value[keep[k]->index], end);
    for (int i = 0; i < g->n_tensors; ++i) {
        struct gr_tensor *t = g->tensors[i];

        if (t->kind == GR_IDS)
            add_life(&lives, t->n, &t->value_offset, 0, end);
        if (t->kind != GR_ACTIVATION)
            continue;
        add_life(&lives, t->n, &t->value_offset, value[i].first, value[i].last);
        if (t->has_grad && grad[i].last >= 0)
            add_life(&lives, t->n, &t->grad_offset, grad[i].first, grad[i].last);
    }
    for (int n = 0; n < g->n_nodes; ++n) {
        struct gr_node *node = g->nodes[n];

        node->scratch_fwd_offset = node->scratch_bwd_offset = GR_NO_PLACE;
        if (node->scratch_fwd_floats)
            add_life(&lives, node->scratch_fwd_floats, &node->scratch_fwd_offset, n, n);
        if (node->backward && node->scratch_bwd_floats)
            add_life(&lives, node->scratch_bwd_floats, &node->scratch_bwd_offset, end - 1 - n,
                     end - 1 - n);
    }
    g->arena_bytes = place_all(&lives);
    t2_free(lives.items);
    t2_free(value);
    t2_free(grad);
}
