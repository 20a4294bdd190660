/* Tests of train/exchange/tf_graph.c. */
#include "tests/support/t.h"

#include "base/alloc.h"
#include "tests/unit/train/proto_read.h"
#include "train/exchange/tf_graph.h"

/* The node's n-th field of a number. */
static struct t2_slice nth(struct t2_slice node, uint32_t number, int n)
{
    struct t2_wire w = t2_wire_of(node);
    struct pr_field f;

    while (pr_next(&w, &f))
        if (f.number == number && n-- == 0)
            return f.body;
    return (struct t2_slice){0};
}

static void test_references(void **state)
{
    struct xch_tf_graph outside = {.field = 1}, inside = {.field = 3, .in_function = true};
    const char *x = xch_tf_simple(&outside, "Relu", "r", "activations", XCH_TF_FLOAT, "x", NULL);
    const char *y = xch_tf_simple(&inside, "Relu", "r", "activations", XCH_TF_FLOAT, "x", NULL);
    struct t2_slice node = pr_get(t2_buf_slice(&inside.out), 3).body;

    (void) state;
    assert_string_equal(x, "r");
    assert_string_equal(y, "r:activations:0");
    assert_true(pr_is(nth(node, 1, 0), "r") && pr_is(nth(node, 2, 0), "Relu"));
    assert_true(pr_is(nth(node, 3, 0), "x"));
    /* one attribute, T: float */
    assert_true(pr_is(pr_get(nth(node, 5, 0), 1).body, "T"));
    assert_int_equal(pr_get(pr_get(nth(node, 5, 0), 2).body, 6).value, 1);
    assert_int_equal(nth(node, 5, 1).len_bytes, 0);
    xch_tf_release(&outside);
    xch_tf_release(&inside);
}

static void test_constant(void **state)
{
    static const int64_t numbers[] = {5, -1};
    struct xch_tf_graph g = {.field = 1};
    struct t2_slice value, tensor;

    (void) state;
    (void) xch_tf_integers(&g, "c", 1, 2, numbers);
    value = pr_get(nth(pr_get(t2_buf_slice(&g.out), 1).body, 5, 1), 2).body;
    tensor = pr_get(value, 8).body;
    assert_int_equal(pr_get(tensor, 1).value, XCH_TF_INT64);
    assert_int_equal(pr_get(pr_get(pr_get(tensor, 2).body, 2).body, 1).value, 2);
    assert_int_equal(pr_get(tensor, 4).body.len_bytes, sizeof numbers);
    assert_memory_equal(pr_get(tensor, 4).body.data, numbers, sizeof numbers);
    xch_tf_release(&g);
}

/* What another value needs comes first, and once. */
static void test_value(void **state)
{
    const int64_t dims[] = {-1, 4}, one[] = {4};
    struct xch_flow f = {0};
    struct xch_tf_graph g = {.f = &f, .field = 1};
    int x = xch_flow_input(&f, "x", XCH_FLOAT, 2, dims);
    int w = xch_flow_weight(&f, "w", 1, one, t2_alloc(4, sizeof(float)));
    int y = xch_flow_binary(&f, XCH_ADD, x, w), z = xch_flow_binary(&f, XCH_MUL, y, w);
    struct t2_wire wire;
    struct pr_field field;
    int n = 0;

    (void) state;
    assert_string_equal(xch_tf_value(&g, z), "v3");
    assert_string_equal(xch_tf_value(&g, y), "v2");
    wire = t2_wire_of(t2_buf_slice(&g.out));
    while (pr_next(&wire, &field)) {
        static const char *const ops[] = {"Placeholder", "Const", "AddV2", "Mul"};

        assert_in_range(n, 0, 3);
        assert_true(pr_is(nth(field.body, 2, 0), ops[n++]));
    }
    assert_int_equal(n, 4);
    xch_tf_release(&g);
    xch_flow_release(&f);
}

T_MAIN(cmocka_unit_test(test_references), cmocka_unit_test(test_constant),
       cmocka_unit_test(test_value))
