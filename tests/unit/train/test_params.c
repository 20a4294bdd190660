/*
 * tests/unit/train/test_params.c - parameters: shards, offsets, memory.
 */
#include "train/graph/params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/device_floats.h"
#include "tests/support/op_device.h"
#include "tests/support/t.h"

static int get(struct gr_params *p, const char *name, int64_t rows, int64_t cols, int n_shards,
               enum gr_init init, double gain)
{
    int64_t dims[] = {rows, cols};

    return gr_params_get(p, name, cols ? 2 : 1, dims, n_shards, init, gain);
}

static void test_shards(void **state)
{
    static const int64_t rows[] = {4, 4, 3, 3};
    struct gr_params p;
    int table, vector;

    (void) state;
    gr_params_init(&p, op_device("reference", 1));
    table = get(&p, "emb", 14, 5, 4, GR_INIT_NORMAL, 0.1);
    vector = get(&p, "bias", 7, 0, 0, GR_INIT_ZEROS, 0.0);
    assert_int_equal(table, 0);
    assert_int_equal(vector, 1);
    assert_int_equal(get(&p, "emb", 14, 5, 4, GR_INIT_NORMAL, 0.1), table);
    assert_int_equal(get(&p, "bias", 7, 0, 0, GR_INIT_ZEROS, 0.0), vector);
    assert_int_equal(p.n_params, 2);
    assert_int_equal(p.n_variables, 5);
    assert_int_equal(gr_params_count(&p), 14 * 5 + 7);
    for (int s = 0, row = 0; s < 4; s++) {
        char name[16];
        const struct gr_variable *v;

        snprintf(name, sizeof name, "emb_%d", s);
        v = gr_params_find(&p, name);
        assert_non_null(v);
        assert_int_equal(v->rank, 2);
        assert_int_equal(v->dims[0], rows[s]);
        assert_int_equal(v->dims[1], 5);
        assert_int_equal(v->n, rows[s] * 5);
        assert_int_equal(v->offset, p.params[table].offset + row * 5); /* still one matrix */
        assert_int_equal(v->param, table);
        row += (int) rows[s];
    }
    assert_int_equal(p.params[vector].offset % 16, 0);
    assert_true(p.params[vector].offset >= 70);
    assert_true(p.n_floats % 16 == 0 && p.n_floats >= p.params[vector].offset + 7);
    assert_null(gr_params_find(&p, "emb"));
    assert_null(gr_params_find(&p, "emb_4"));
    assert_non_null(gr_params_find(&p, "bias"));
    gr_params_release(&p);
    gr_params_release(&p); /* again is nothing */
}

static void test_one_shard_has_a_number_too(void **state)
{
    struct gr_params p;

    (void) state;
    gr_params_init(&p, op_device("reference", 1));
    (void) get(&p, "w", 3, 2, 1, GR_INIT_ZEROS, 0.0);
    assert_string_equal(p.variables[0].name, "w_0");
    gr_params_release(&p);
}

static void test_out_of_memory(void **state)
{
    (void) state;
    OP_NEEDS_CPU();
    for (uint64_t n = 1; n <= 2; n++) {
        struct gr_params p;
        struct t2_err err = T2_ERR_INIT;

        gr_params_init(&p, op_device("cpu", 1)); /* its memory is the host's */
        (void) get(&p, "w", 1000, 300, 0, GR_INIT_ZEROS, 0.0);
        t2_alloc_fail_after(n);
        assert_int_equal(gr_params_freeze(&p, &err), T2_ENOMEM);
        t2_alloc_fail_after(0);
        t_assert_contains(err.message, "not enough memory for parameters and gradients");
        t_assert_contains(err.message, "2.4 MB");
        assert_true(p.frozen && !p.values && !p.grads);
        gr_params_release(&p);
    }
}

static void test_values_only(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct gr_params p;

    (void) state;
    OP_NEEDS_CPU();
    gr_params_init(&p, op_device("cpu", 1));
    p.values_only = true;
    (void) get(&p, "w", 1000, 300, 0, GR_INIT_ONES, 0.0);
    t2_alloc_fail_after(1);
    assert_int_equal(gr_params_freeze(&p, &err), T2_ENOMEM);
    t2_alloc_fail_after(0);
    assert_string_equal(err.message, "not enough memory for parameters (1.2 MB)");
    assert_int_equal(gr_params_place(&p, &err), T2_OK);
    assert_null(p.grads);
    assert_int_equal(gr_params_initialise(&p, "xavier", 1.0, 1, &err), T2_OK);
    assert_true(device_float(p.dev, p.values + 299999) == 1.0f);
    gr_params_release(&p);
}

/* Saved and initialised as the others; not counted. */
static void test_states(void **state)
{
    int64_t n = 7;
    struct t2_err err = T2_ERR_INIT;
    struct gr_params p;
    int mean;

    (void) state;
    gr_params_init(&p, op_device("reference", 1));
    (void) get(&p, "w", 10, 3, 0, GR_INIT_ONES, 0.0);
    mean = gr_params_get_state(&p, "variance", 1, &n, GR_INIT_ONES, 0.0);
    (void) get(&p, "b", 10, 0, 0, GR_INIT_ZEROS, 0.0);
    assert_int_equal(gr_params_get_state(&p, "variance", 1, &n, GR_INIT_ONES, 0.0), mean);
    assert_int_equal(p.n_variables, 3);
    assert_int_equal(gr_params_count_variables(&p), 2);
    assert_int_equal(gr_params_count(&p), 40);
    assert_true(gr_params_find(&p, "w")->trainable && !gr_params_find(&p, "variance")->trainable);
    assert_int_equal(gr_params_freeze(&p, &err), T2_OK);
    assert_int_equal(gr_params_initialise(&p, "xavier", 1.0, 1, &err), T2_OK);
    assert_true(device_float(p.dev, p.values + p.params[mean].offset + 6) == 1.0f);
    gr_params_release(&p);
}

T_MAIN(cmocka_unit_test(test_shards), cmocka_unit_test(test_one_shard_has_a_number_too),
       cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_values_only),
       cmocka_unit_test(test_states))
