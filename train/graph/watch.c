/*
 * train/graph/watch.c - see the header.
 */
#include "train/graph/watch.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "train/device/types.h"

void gr_watch_release(struct gr_watch *w)
{
    for (size_t i = 0; i < w->n; i++) {
        t2_free(w->ranges[i].scope);
        t2_free(w->ranges[i].parameter);
    }
    t2_free(w->ranges);
    *w = (struct gr_watch){0};
}

/* ---- names ---- */

const char *gr_first_variable(const struct gr_graph *g, const struct gr_node *node)
{
    for (int i = 0; i < node->n_inputs; i++) {
        const struct gr_tensor *t = node->inputs[i];

        if (t && (t->kind == GR_PARAM || t->kind == GR_STATE))
            return g->params->variables[g->params->params[t->param].first_variable].name;
    }
    return NULL;
}

/* The part of a variable's name that names its layer, up to "layer_<number>"; 0: none does. */
static size_t scope_length(const char *name)
{
    const char *at = strstr(name, "layer_");
    size_t n;

    while (at && !isdigit((unsigned char) at[6]))
        at = strstr(at + 1, "layer_");
    if (!at)
        return 0;
    n = (size_t) (at - name) + 6;
    while (isdigit((unsigned char) name[n]))
        n++;
    return n;
}

char *gr_scope_of(const struct gr_graph *g, const struct gr_node *node)
{
    if (node->layer == 0)
        return NULL;
    for (int i = 0; i < g->n_nodes; i++) {
        const char *name =
            g->nodes[i]->layer == node->layer ? gr_first_variable(g, g->nodes[i]) : NULL;

        if (name && scope_length(name) > 0)
            return t2_strndup(name, scope_length(name));
    }
    return t2_asprintf("layer %d", node->layer);
}

void gr_range_name(const struct gr_range *r, struct t2_buf *text)
{
    t2_buf_printf(text, "operator '%s', %s", r->op,
                  r->backward ? "backward"
                  : r->again  ? "forward again"
                              : "forward");
    if (r->scope)
        t2_buf_printf(text, ", in %s", r->scope);
    if (r->parameter)
        t2_buf_printf(text, ", with '%s'", r->parameter);
    t2_buf_printf(text, ": %s %d (", r->backward ? "gradient of input" : "output", r->position);
    for (int i = 0; i < r->rank; i++)
        t2_buf_printf(text, "%s%" PRId64, i > 0 ? ", " : "", r->dims[i]);
    t2_buf_puts(text, ")");
}

/* ---- numbers ---- */

static void measure(struct gr_range *r, enum dev_type type, const void *values)
{
    r->least = r->most = (double) NAN;
    for (int64_t i = 0; i < r->n; i++) {
        double v = (double) dev_get(type, values, i);

        if (!isfinite(v)) {
            if (r->n_not_finite++ == 0)
                r->first_not_finite = i;
            continue;
        }
        r->least = fmin(r->least, v);
        r->most = fmax(r->most, v);
    }
}

static void add(struct gr_watch *w, const struct gr_graph *g, const struct gr_node *node,
                const struct gr_range *like, const struct gr_tensor *t, const void *values)
{
    void *host = t2_alloc((size_t) t->n, dev_type_bytes(t->type));
    const char *variable = gr_first_variable(g, node);
    struct gr_range *r;

    if (w->n == w->capacity) {
        w->capacity = 2 * w->capacity + 256;
        w->ranges = t2_realloc(w->ranges, w->capacity, sizeof *w->ranges);
    }
    r = &w->ranges[w->n++];
    *r = *like;
    r->op = node->op->name;
    r->scope = gr_scope_of(g, node);
    r->parameter = variable ? t2_strdup(variable) : NULL;
    r->rank = t->rank;
    memcpy(r->dims, t->dims, sizeof r->dims);
    r->n = t->n;
    g->dev->download(g->dev, host, values, gr_bytes(t));
    measure(r, t->type, host);
    t2_free(host);
}

static void plant(struct gr_watch *w, const struct gr_graph *g, const struct gr_node *node)
{
    const struct gr_tensor *t = node->n_outputs > 0 ? node->outputs[0] : NULL;
    const float bad = (float) NAN;
    uint16_t half = t && t->type == DEV_BFLOAT16 ? dev_bfloat16(bad) : dev_float16(bad);

    if (node->layer != w->plant_layer || !t || !t->value || w->planted)
        return;
    w->planted = true;
    if (t->type == DEV_FLOAT32)
        g->dev->upload_now(g->dev, t->value, &bad, sizeof bad);
    else
        g->dev->upload_now(g->dev, t->value, &half, sizeof half);
}

static bool is_number(const struct gr_tensor *t)
{
    return t && (t->type == DEV_FLOAT32 || t->type == DEV_BFLOAT16 || t->type == DEV_FLOAT16) &&
           t->kind != GR_IDS;
}

void gr_watch_node(struct gr_watch *w, const struct gr_graph *g, const struct gr_node *node,
                   bool backward, bool again)
{
    struct gr_range like = {.backward = backward, .again = again};

    if (w->plant_layer > 0 && !backward && !again)
        plant(w, g, node);
    if (!w->measures)
        return;
    for (int i = 0; !backward && i < node->n_outputs; i++) {
        like.position = i;
        if (is_number(node->outputs[i]) && node->outputs[i]->value)
            add(w, g, node, &like, node->outputs[i], node->outputs[i]->value);
    }
    for (int i = 0; backward && i < node->n_inputs; i++) {
        const struct gr_tensor *t = node->inputs[i];

        like.position = i;
        if (is_number(t) && t->needs_grad && t->grad)
            add(w, g, node, &like, t, t->grad);
    }
}

const struct gr_range *gr_watch_first_bad(const struct gr_watch *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->ranges[i].n_not_finite > 0)
            return &w->ranges[i];
    return NULL;
}
