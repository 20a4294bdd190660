/*
 * train/graph/trace.c - see the header.
 */
#include "train/graph/trace.h"

#include "base/alloc.h"
#include "train/graph/watch.h"

void gr_trace_release(struct gr_trace *t)
{
    for (size_t i = 0; i < t->n; i++) {
        t2_free(t->items[i].scope);
        t2_free(t->items[i].variable);
    }
    t2_free(t->items);
    *t = (struct gr_trace){0};
}

void gr_trace_node(struct gr_trace *t, const struct gr_graph *g, const struct gr_node *node,
                   bool backward)
{
    const char *variable = gr_first_variable(g, node);

    if (t->n == t->capacity) {
        t->capacity = 2 * t->capacity + 256;
        t->items = t2_realloc(t->items, t->capacity, sizeof *t->items);
    }
    t->items[t->n++] = (struct gr_traced){.op = node->op->name,
                                          .backward = backward,
                                          .scope = gr_scope_of(g, node),
                                          .variable = variable ? t2_strdup(variable) : NULL};
}
