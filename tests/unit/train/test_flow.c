/* Tests of train/exchange/flow.c. */
#include "tests/support/t.h"

#include "base/alloc.h"
#include "train/exchange/flow.h"

static float *floats(size_t n)
{
    return t2_alloc(n, sizeof(float));
}

/* The same weight comes once; of another shape it has another name. */
static void test_weights(void **state)
{
    const int64_t one[] = {6}, two[] = {2, 3};
    struct xch_flow f = {0};
    int a = xch_flow_weight(&f, "w", 1, one, floats(6));
    int b = xch_flow_weight(&f, "w", 1, one, floats(6));
    int c = xch_flow_weight(&f, "w", 2, two, floats(6));

    (void) state;
    assert_int_equal(a, b);
    assert_int_not_equal(a, c);
    assert_string_not_equal(f.values[a].name, f.values[c].name);
    assert_int_equal(xch_flow_count(&f.values[c]), 6);
    xch_flow_release(&f);
}

/* What targets make is known, so that the rest can be computed once. */
static void test_depends(void **state)
{
    const int64_t dims[] = {-1, -1}, four[] = {0, 0, 1, 1};
    struct xch_flow f = {0};
    int inputs = xch_flow_input(&f, "inputs", XCH_INT64, 2, dims);
    int targets = xch_flow_input(&f, "targets", XCH_INT64, 2, dims);
    int x = xch_flow_unary(&f, XCH_TO_FLOAT, inputs);
    int y =
        xch_flow_shaped(&f, XCH_RESHAPE, xch_flow_unary(&f, XCH_SHIFT, targets), 4, four, false);

    (void) state;
    assert_false(f.values[x].of_targets);
    assert_true(f.values[y].of_targets);
    assert_int_equal(f.values[y].type, XCH_INT64);
    assert_int_equal(f.values[x].type, XCH_FLOAT);
    assert_true(f.values[xch_flow_binary(&f, XCH_ADD, x, xch_flow_number(&f, 2.0))].type ==
                XCH_FLOAT);
    xch_flow_release(&f);
}

T_MAIN(cmocka_unit_test(test_weights), cmocka_unit_test(test_depends))
