/*
 * test_shard_tree.c - the tree over shards: its nodes, and what covers a rank's.
 */
#include "tests/support/t.h"
#include "train/dist/shard_tree.h"

/* All nodes below one. */
static void mark(struct dist_span node, bool (*is_node)[33])
{
    int middle;

    is_node[node.first][node.end] = true;
    if (node.end - node.first < 2)
        return;
    middle = dist_tree_middle(node);
    assert_true(node.first < middle && middle < node.end);
    mark((struct dist_span){node.first, middle}, is_node);
    mark((struct dist_span){middle, node.end}, is_node);
}

static void test_nodes(void **state)
{
    (void) state;
    for (int n = 1; n <= 32; n++) {
        bool is_node[33][33] = {{false}};

        mark((struct dist_span){0, n}, is_node);
        for (int first = 0; first < n; first++)
            for (int end = first + 1; end <= n; end++)
                assert_int_equal(dist_tree_has(n, (struct dist_span){first, end}),
                                 is_node[first][end]);
    }
    assert_int_equal(dist_tree_middle((struct dist_span){0, 5}), 4);
    assert_int_equal(dist_tree_middle((struct dist_span){4, 8}), 6);
    assert_int_equal(dist_tree_middle((struct dist_span){8, 11}), 10);
}

/* Shards of all ranks, one behind the other; as few nodes as can be: no two neighbours are one. */
static void test_cover(void **state)
{
    struct dist_span nodes[32];

    (void) state;
    for (int n = 1; n <= 32; n++)
        for (int size = 1; size <= 33; size++) {
            int next = 0;

            for (int r = 0; r < size; r++) {
                struct dist_span span = dist_tree_of_rank(n, r, size);
                int n_nodes = dist_tree_cover(n, span, nodes);

                assert_int_equal(span.first, next);
                assert_int_equal(dist_tree_cover(n, span, NULL), n_nodes);
                for (int k = 0; k < n_nodes; k++) {
                    assert_true(dist_tree_has(n, nodes[k]));
                    assert_int_equal(nodes[k].first, next);
                    next = nodes[k].end;
                    assert_false(k > 0 && dist_tree_has(n, (struct dist_span){nodes[k - 1].first,
                                                                              nodes[k].end}));
                }
                assert_int_equal(span.end, next);
            }
            assert_int_equal(next, n);
        }
    /* where ranks have as many shards as a power of two each brings one node */
    for (int r = 0; r < 3; r++)
        assert_int_equal(dist_tree_cover(12, dist_tree_of_rank(12, r, 3), NULL), 1);
}

T_MAIN(cmocka_unit_test(test_nodes), cmocka_unit_test(test_cover))
