/*
 * train/graph/remat.c - the steps of the backward pass: which nodes run, and with g->remat which
 * run forward once more.
 */
#include "train/graph/remat.h"

#include "base/alloc.h"

/* The layers whose backward runs read a tensor's value. */
struct need {
    bool own;   /* its own layer */
    bool other; /* another layer, or nodes of none */
};

static void note(struct need *needs, const struct gr_tensor *t, const struct gr_node *user)
{
    if (t->kind != GR_ACTIVATION)
        return;
    if (user->layer != 0 && t->producer->layer == user->layer)
        needs[t->index].own = true;
    else
        needs[t->index].other = true;
}

static void note_backward(struct need *needs, const struct gr_node *node)
{
    for (int i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] && node->op->bwd_uses_inputs >> i & 1)
            note(needs, node->inputs[i], node);
    for (int o = 0; o < node->n_outputs; o++)
        if (node->op->bwd_uses_outputs >> o & 1)
            note(needs, node->outputs[o], node);
}

/* A node runs again when an output of its is needed in the backward pass by its own layer only.
 * From the last node on: a node that runs again needs its inputs then, which may make their
 * producers run again, too; those come later in this loop. */
static void choose_reruns(struct gr_graph *g)
{
    struct need *needs = t2_alloc((size_t) g->n_tensors + 1, sizeof *needs);

    for (int n = 0; n < g->n_nodes; n++)
        if (g->nodes[n]->backward)
            note_backward(needs, g->nodes[n]);
    for (int n = g->n_nodes - 1; n >= 0; n--) {
        struct gr_node *node = g->nodes[n];

        for (int o = 0; o < node->n_outputs; o++) {
            const struct need *need = &needs[node->outputs[o]->index];

            node->rerun |= need->own && !need->other && !node->op->runs_once;
        }
        for (int i = 0; node->rerun && i < node->n_inputs; i++)
            if (node->inputs[i])
                note(needs, node->inputs[i], node);
    }
    t2_free(needs);
}

static void add_step(struct gr_graph *g, struct gr_node *node, bool again)
{
    g->backward_steps[g->n_backward_steps++] = (struct gr_step){.node = node, .again = again};
}

/* Descending through the nodes, with all second runs of a layer, ascending, in front of its first
 * backward step. */
void gr_schedule_backward(struct gr_graph *g)
{
    int layer = 0;

    g->backward_steps = gr_alloc(g, 2 * (size_t) (g->n_nodes + 1) * sizeof *g->backward_steps);
    if (g->remat)
        choose_reruns(g);
    for (int n = g->n_nodes - 1; n >= 0; n--) {
        struct gr_node *node = g->nodes[n];
        int first = n;

        if (node->layer != layer) { /* the layer's last node: its others are before it */
            layer = node->layer;
            while (first > 0 && g->nodes[first - 1]->layer == layer)
                first--;
            for (int i = first; i <= n; i++)
                if (g->nodes[i]->rerun)
                    add_step(g, g->nodes[i], true);
        }
        if (node->backward)
            add_step(g, node, false);
    }
}
