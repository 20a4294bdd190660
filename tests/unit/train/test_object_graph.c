/* Tests of train/ckpt/object_graph.c: names of variables, slots and the step; damage. */
#include "train/ckpt/object_graph.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

/* Appends a field of bytes; all here are short. */
static void put(struct t2_buf *b, uint8_t field, const void *data, size_t n)
{
    t2_buf_push(b, (uint8_t) (field << 3 | 2));
    t2_buf_push(b, (uint8_t) n);
    t2_buf_append(b, data, n);
}

/* A node with a variable's attribute, and behind it `more` of its message. */
static void put_node(struct t2_buf *graph, const char *full_name, const char *key, const void *more,
                     size_t n_more)
{
    struct t2_buf attribute = {0}, node = {0};

    put(&attribute, 1, "VARIABLE_VALUE", 14);
    put(&attribute, 2, full_name, strlen(full_name));
    put(&attribute, 3, key, strlen(key));
    if (key[0])
        put(&node, 2, attribute.data, attribute.len_bytes);
    t2_buf_append(&node, more, n_more);
    t2_buf_push(graph, 0x0a);
    T2_ASSERT(node.len_bytes < 128);
    t2_buf_push(graph, (uint8_t) node.len_bytes);
    t2_buf_append(graph, node.data, node.len_bytes);
    t2_buf_release(&attribute);
    t2_buf_release(&node);
}

static const char *name_of(const struct ckpt_graph_names *names, const char *key)
{
    for (size_t i = 0; i < names->keys.n; i++)
        if (strcmp(names->keys.items[i], key) == 0)
            return names->names.items[i];
    return NULL;
}

static void test_names(void **state)
{
    /* node 0: slots m (2), v (3) and other (9: no such node) of node 1 */
    static const char slots[] = "\x1a\x07\x08\x01\x12\x01m\x18\x02"
                                "\x1a\x07\x08\x01\x12\x01v\x18\x03"
                                "\x1a\x07\x08\x01\x12\x01z\x18\x09"
                                "\x1a\x07\x08\x01\x12\x01z\x18\x04";
    struct t2_buf graph = {0};
    struct ckpt_graph_names names;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    put_node(&graph, "", "", slots, sizeof slots - 1);
    put_node(&graph, "top/kernel:0", "model/w", "", 0);
    put_node(&graph, "Adam/top/kernel/m:0", "model/w/m", "", 0);
    put_node(&graph, "Adam/top/kernel/v:0", "model/w/v", "", 0);
    put_node(&graph, "Adam/top/kernel/z", "model/w/z", "", 0);
    put_node(&graph, "Adam/iter:0", "optimizer/iter/.ATTRIBUTES/VARIABLE_VALUE", "", 0);
    put_node(&graph, "", "nameless", "", 0);
    assert_int_equal(ckpt_object_graph_names(t2_buf_slice(&graph), &names, &err), T2_OK);
    assert_int_equal(names.keys.n, 5);
    assert_string_equal(name_of(&names, "model/w"), "top/kernel");
    assert_string_equal(name_of(&names, "model/w/m"), "training/top/kernel/Adam");
    assert_string_equal(name_of(&names, "model/w/v"), "training/top/kernel/Adam_1");
    assert_string_equal(name_of(&names, "model/w/z"), "training/top/kernel/z");
    assert_string_equal(name_of(&names, "optimizer/iter/.ATTRIBUTES/VARIABLE_VALUE"),
                        "global_step");
    ckpt_graph_names_release(&names);
    graph.len_bytes--;
    assert_int_equal(ckpt_object_graph_names(t2_buf_slice(&graph), &names, &err), T2_EFORMAT);
    t_assert_contains(err.message, "object graph is damaged");
    ckpt_graph_names_release(&names);
    t2_buf_release(&graph);
}

T_MAIN(cmocka_unit_test(test_names))
