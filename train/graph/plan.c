/*
 * train/graph/plan.c - places in the arena by lifetime.
 *
 * Interval packing: every value, gradient and scratch buffer is a `life` of some bytes in one or
 * two spans of time (plan.h says what a moment is); lives whose spans meet must not overlap in the
 * arena. Placing the largest first, each at the lowest free offset, is the greedy-by-size heuristic
 * of Pisarchyk and Lee 2020.  It is quadratic in the number of lives, some thousand, and runs once
 * per batch shape.  Ties are broken by the order of creation, so the same graph has the same plan
 * everywhere: --dry_run's figure is the run's.
 */
#include "train/graph/plan.h"

#include <stdlib.h>

#include "base/alloc.h"

enum { ALIGNMENT = DEV_ALIGN_BYTES };

/* First and last moment of a use, both included; last < 0 = none. */
struct span {
    int first, last;
};

/* One buffer of the arena, alive in one or two spans. */
struct life {
    size_t bytes;
    struct span spans[2];
    size_t *offset; /* where the answer goes */
    int order;      /* of creation: ties are broken by it */
};

struct lives {
    struct life *items;
    int n;
};

static const struct span never = {0, -1};

static void add_life(struct lives *l, size_t bytes, size_t *offset, struct span first,
                     struct span second)
{
    struct life *life = &l->items[l->n];

    life->bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    life->offset = offset;
    life->spans[0] = first;
    life->spans[1] = second;
    life->order = l->n++;
}

/* Extends a span to a moment. */
static void include(struct span *s, int moment)
{
    if (s->last < 0) {
        s->first = s->last = moment;
        return;
    }
    s->first = moment < s->first ? moment : s->first;
    s->last = moment > s->last ? moment : s->last;
}

static struct span moment(int at)
{
    return at < 0 ? never : (struct span){at, at};
}

/* Spans by tensor, and moments by node, collected from all steps before lives are made. */
struct uses {
    struct span *forward; /* values, in the forward pass */
    struct span *late;    /* values, in the backward pass */
    int *again;           /* second run of the node that makes the value; -1 = none */
    struct span *grad;
    int *rerun_at, *backward_at; /* of nodes; -1 = never */
};

/* A forward run at `at`: reads its inputs, writes its outputs.  The second run of a node (again) is
 * in the backward pass, so its reads count there, and its outputs are born there a second time. */
static void use_forward(const struct gr_node *node, int at, bool again, struct uses *u)
{
    struct span *spans = again ? u->late : u->forward;

    for (int i = 0; i < node->n_inputs; i++)
        if (node->inputs[i])
            include(&spans[node->inputs[i]->index], at);
    for (int o = 0; o < node->n_outputs; o++) {
        int t = node->outputs[o]->index;

        if (again)
            u->again[t] = at;
        else
            include(&spans[t], at);
    }
}

/* A backward run at `at`: reads the values that the operator declares (bwd_uses_*), the gradients
 * of its outputs, and writes those of its inputs. */
static void use_backward(const struct gr_node *node, int at, struct uses *u)
{
    for (int o = 0; o < node->n_outputs; o++) {
        if (node->op->bwd_uses_outputs >> o & 1)
            include(&u->late[node->outputs[o]->index], at);
        if (node->outputs[o]->has_grad)
            include(&u->grad[node->outputs[o]->index], at);
    }
    for (int i = 0; i < node->n_inputs; i++) {
        if (!node->inputs[i])
            continue;
        if (node->op->bwd_uses_inputs >> i & 1)
            include(&u->late[node->inputs[i]->index], at);
        if (node->inputs[i]->needs_grad)
            include(&u->grad[node->inputs[i]->index], at);
    }
}

static void find_uses(const struct gr_graph *g, struct uses *u)
{
    for (int n = 0; n < g->n_nodes; n++)
        use_forward(g->nodes[n], n, false, u);
    for (int k = 0; k < g->n_backward_steps; k++) {
        const struct gr_step *step = &g->backward_steps[k];
        int at = g->n_nodes + k;

        if (step->again) {
            u->rerun_at[step->node->index] = at;
            use_forward(step->node, at, true, u);
        } else {
            u->backward_at[step->node->index] = at;
            use_backward(step->node, at, u);
        }
    }
}

/* The lives of a value.  Usually one span, from its node to the last reader.  Where its node runs
 * again, two: up to the last reader of the forward pass, and from the second run on; between them
 * its place is free.  Both are at one offset, as kernels hold one pointer. */
static void add_value(struct lives *l, struct gr_tensor *t, const struct uses *u)
{
    struct span early = u->forward[t->index], late = u->late[t->index];
    int again = u->again[t->index];

    if (again >= 0)
        include(&late, again);
    if (again < 0 || late.first < again) { /* kept: what runs again writes the same once more */
        if (late.last >= 0)
            include(&early, late.last);
        late = never;
    }
    add_life(l, gr_bytes(t), &t->value_offset, early, late);
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

/* Spans share a moment; both ends belong to them. */
static bool meet(const struct span *a, const struct span *b)
{
    return a->last >= 0 && b->last >= 0 && a->first <= b->last && b->first <= a->last;
}

static bool together(const struct life *a, const struct life *b)
{
    return meet(&a->spans[0], &b->spans[0]) || meet(&a->spans[0], &b->spans[1]) ||
           meet(&a->spans[1], &b->spans[0]) || meet(&a->spans[1], &b->spans[1]);
}

/* Gives each life its offset; returns the end of the arena.  The gaps between the busy places, in
 * the order of their offsets, are tried from the bottom. */
static size_t place_all(struct lives *l)
{
    const struct life **busy = t2_alloc((size_t) l->n + 1, sizeof(const struct life *));
    size_t end = 0;

    qsort(l->items, (size_t) l->n, sizeof *l->items, by_size);
    for (int i = 0; i < l->n; i++) {
        struct life *life = &l->items[i];
        size_t at = 0;
        int n_busy = 0;

        for (int j = 0; j < i; j++)
            if (together(&l->items[j], life))
                busy[n_busy++] = &l->items[j];
        qsort(busy, (size_t) n_busy, sizeof *busy, by_offset);
        for (int j = 0; j < n_busy && at + life->bytes > *busy[j]->offset; j++) {
            size_t behind = *busy[j]->offset + busy[j]->bytes;

            at = behind > at ? behind : at;
        }
        *life->offset = at;
        end = at + life->bytes > end ? at + life->bytes : end;
    }
    t2_free(busy);
    return end;
}

static void add_scratch(struct lives *l, const struct gr_graph *g, const struct uses *u)
{
    for (int n = 0; n < g->n_nodes; n++) {
        struct gr_node *node = g->nodes[n];

        node->scratch_fwd_offset = node->scratch_bwd_offset = GR_NO_PLACE;
        if (node->scratch_fwd_floats)
            add_life(l, (size_t) node->scratch_fwd_floats * sizeof(float),
                     &node->scratch_fwd_offset, moment(n), moment(u->rerun_at[n]));
        if (node->backward && node->scratch_bwd_floats)
            add_life(l, (size_t) node->scratch_bwd_floats * sizeof(float),
                     &node->scratch_bwd_offset, moment(u->backward_at[n]), never);
    }
}

static int *all_never(int n)
{
    int *at = t2_alloc((size_t) n + 1, sizeof *at);

    for (int i = 0; i < n; i++)
        at[i] = -1;
    return at;
}

static struct span *no_spans(int n)
{
    struct span *spans = t2_alloc((size_t) n + 1, sizeof *spans);

    for (int i = 0; i < n; i++)
        spans[i] = never;
    return spans;
}

void gr_plan(struct gr_graph *g, struct gr_tensor *const *keep, int n_keep)
{
    struct lives lives = {0};
    int end = g->n_nodes + g->n_backward_steps;
    struct uses u = {.forward = no_spans(g->n_tensors),
                     .late = no_spans(g->n_tensors),
                     .again = all_never(g->n_tensors),
                     .grad = no_spans(g->n_tensors),
                     .rerun_at = all_never(g->n_nodes),
                     .backward_at = all_never(g->n_nodes)};

    lives.items = t2_alloc(2 * (size_t) (g->n_tensors + g->n_nodes) + 1, sizeof *lives.items);
    find_uses(g, &u);
    for (int k = 0; k < n_keep; k++)
        include(&u.late[keep[k]->index], end);
    for (int i = 0; i < g->n_tensors; i++) {
        struct gr_tensor *t = g->tensors[i];

        if (t->kind == GR_IDS || t->kind == GR_FLOATS)
            add_life(&lives, gr_bytes(t), &t->value_offset, (struct span){0, end}, never);
        if (t->kind != GR_ACTIVATION)
            continue;
        add_value(&lives, t, &u);
        if (t->has_grad && u.grad[i].last >= 0)
            add_life(&lives, gr_bytes(t), &t->grad_offset, u.grad[i], never);
    }
    add_scratch(&lives, g, &u);
    g->arena_bytes = place_all(&lives);
    t2_free(lives.items);
    t2_free(u.forward);
    t2_free(u.late);
    t2_free(u.again);
    t2_free(u.grad);
    t2_free(u.rerun_at);
    t2_free(u.backward_at);
}
