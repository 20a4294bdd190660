/*
 * train/ckpt/object_graph.c - reading TrackableObjectGraph.
 *
 *   graph      nodes 1
 *   node       children 1, attributes 2, slot_variables 3
 *   attribute  name 1 ("VARIABLE_VALUE"), full_name 2, checkpoint_key 3
 *   slot       original_variable_node_id 1, slot_name 2, slot_variable_node_id 3
 */
#include "train/ckpt/object_graph.h"

#include <string.h>

#include "base/alloc.h"
#include "base/protobuf.h"

/* What is known of a node: borrowed from the message. */
struct node {
    struct t2_slice full_name, key;
};

struct slot {
    uint64_t variable, node;
    struct t2_slice name;
};

struct graph {
    struct node *nodes;
    size_t n_nodes, nodes_capacity;
    struct slot *slots;
    size_t n_slots, slots_capacity;
};

static enum t2_status bad(struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "its object graph is damaged");
}

static bool parse_attribute(struct t2_slice bytes, struct node *node)
{
    struct t2_wire w = t2_wire_of(bytes);
    struct t2_slice name = {0}, full_name = {0}, key = {0};
    uint32_t tag;

    while (t2_wire_more(&w)) {
        bool ok;

        if (!t2_wire_tag(&w, &tag))
            return false;
        if (tag == T2_TAG(1, T2_WIRE_BYTES))
            ok = t2_wire_bytes(&w, &name);
        else if (tag == T2_TAG(2, T2_WIRE_BYTES))
            ok = t2_wire_bytes(&w, &full_name);
        else if (tag == T2_TAG(3, T2_WIRE_BYTES))
            ok = t2_wire_bytes(&w, &key);
        else
            ok = t2_wire_skip(&w, tag, 2);
        if (!ok)
            return false;
    }
    if (t2_slice_eq(name, t2_slice_of("VARIABLE_VALUE"))) {
        node->full_name = full_name;
        node->key = key;
    }
    return true;
}

static bool parse_slot(struct t2_slice bytes, struct slot *slot)
{
    struct t2_wire w = t2_wire_of(bytes);
    uint32_t tag;

    *slot = (struct slot){0};
    while (t2_wire_more(&w)) {
        bool ok;

        if (!t2_wire_tag(&w, &tag))
            return false;
        if (tag == T2_TAG(1, T2_WIRE_VARINT))
            ok = t2_wire_varint(&w, T2_VARINT_MAX_BYTES, &slot->variable);
        else if (tag == T2_TAG(2, T2_WIRE_BYTES))
            ok = t2_wire_bytes(&w, &slot->name);
        else if (tag == T2_TAG(3, T2_WIRE_VARINT))
            ok = t2_wire_varint(&w, T2_VARINT_MAX_BYTES, &slot->node);
        else
            ok = t2_wire_skip(&w, tag, 2);
        if (!ok)
            return false;
    }
    return true;
}

static bool parse_node(struct graph *g, struct t2_slice bytes)
{
    struct t2_wire w = t2_wire_of(bytes);
    struct node node = {0};
    struct t2_slice body;
    uint32_t tag;

    while (t2_wire_more(&w)) {
        if (!t2_wire_tag(&w, &tag))
            return false;
        if (tag == T2_TAG(2, T2_WIRE_BYTES)) {
            if (!t2_wire_bytes(&w, &body) || !parse_attribute(body, &node))
                return false;
        } else if (tag == T2_TAG(3, T2_WIRE_BYTES)) {
            if (g->n_slots == g->slots_capacity) {
                g->slots_capacity = 2 * g->slots_capacity + 16;
                g->slots = t2_realloc(g->slots, g->slots_capacity, sizeof *g->slots);
            }
            if (!t2_wire_bytes(&w, &body) || !parse_slot(body, &g->slots[g->n_slots++]))
                return false;
        } else if (!t2_wire_skip(&w, tag, 1)) {
            return false;
        }
    }
    if (g->n_nodes == g->nodes_capacity) {
        g->nodes_capacity = 2 * g->nodes_capacity + 16;
        g->nodes = t2_realloc(g->nodes, g->nodes_capacity, sizeof *g->nodes);
    }
    g->nodes[g->n_nodes++] = node;
    return true;
}

static bool parse_graph(struct graph *g, struct t2_slice bytes)
{
    struct t2_wire w = t2_wire_of(bytes);
    struct t2_slice body;
    uint32_t tag;

    while (t2_wire_more(&w)) {
        if (!t2_wire_tag(&w, &tag))
            return false;
        if (tag == T2_TAG(1, T2_WIRE_BYTES)) {
            if (!t2_wire_bytes(&w, &body) || !parse_node(g, body))
                return false;
        } else if (!t2_wire_skip(&w, tag, 0)) {
            return false;
        }
    }
    return true;
}

/* ---- names ---- */

/* "transformer_v2/…/kernel:0" is named without ":0". */
static struct t2_slice without_output(struct t2_slice name)
{
    if (name.len_bytes > 2 && memcmp(name.data + name.len_bytes - 2, ":0", 2) == 0)
        name.len_bytes -= 2;
    return name;
}

/* Keras's names of slots are those of the papers. */
static const char *slot_of(struct t2_slice keras, struct t2_buf *own)
{
    static const char *const names[][2] = {{"m", "Adam"},
                                           {"v", "Adam_1"},
                                           {"momentum", "Momentum"},
                                           {"rms", "RMSProp"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (t2_slice_eq(keras, t2_slice_of(names[i][0])))
            return names[i][1];
    t2_buf_clear(own);
    t2_buf_append(own, keras.data, keras.len_bytes);
    return t2_buf_cstr(own);
}

static void name_slots(const struct graph *g, struct ckpt_graph_names *names)
{
    struct t2_buf name = {0}, own = {0};

    for (size_t i = 0; i < g->n_slots; i++) {
        const struct slot *s = &g->slots[i];
        struct t2_slice of;

        if (s->variable >= g->n_nodes || s->node >= g->n_nodes ||
            g->nodes[s->node].key.len_bytes == 0)
            continue;
        of = without_output(g->nodes[s->variable].full_name);
        t2_buf_clear(&name);
        t2_buf_puts(&name, "training/");
        t2_buf_append(&name, of.data, of.len_bytes);
        t2_buf_puts(&name, "/");
        t2_buf_puts(&name, slot_of(s->name, &own));
        t2_strs_take(&names->keys, t2_strndup((const char *) g->nodes[s->node].key.data,
                                              g->nodes[s->node].key.len_bytes));
        t2_strs_push(&names->names, t2_buf_cstr(&name));
        g->nodes[s->node].key.len_bytes = 0; /* it has its name */
    }
    t2_buf_release(&own);
    t2_buf_release(&name);
}

static void name_variables(const struct graph *g, struct ckpt_graph_names *names)
{
    for (size_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->nodes[i];
        struct t2_slice full = without_output(n->full_name);
        struct t2_slice iter = t2_slice_of("optimizer/iter/.ATTRIBUTES/VARIABLE_VALUE");

        if (n->key.len_bytes == 0 || full.len_bytes == 0)
            continue;
        t2_strs_take(&names->keys, t2_strndup((const char *) n->key.data, n->key.len_bytes));
        if (t2_slice_eq(n->key, iter))
            t2_strs_push(&names->names, "global_step");
        else
            t2_strs_take(&names->names, t2_strndup((const char *) full.data, full.len_bytes));
    }
}

enum t2_status ckpt_object_graph_names(struct t2_slice graph, struct ckpt_graph_names *names,
                                       struct t2_err *err)
{
    struct graph g = {0};
    bool ok = parse_graph(&g, graph);

    *names = (struct ckpt_graph_names){0};
    if (ok) {
        name_slots(&g, names);
        name_variables(&g, names);
    }
    t2_free(g.nodes);
    t2_free(g.slots);
    return ok ? T2_OK : bad(err);
}

void ckpt_graph_names_release(struct ckpt_graph_names *names)
{
    t2_strs_release(&names->keys);
    t2_strs_release(&names->names);
}
