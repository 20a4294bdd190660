/*
 * tests/ops/test_cast.c - a tensor as another type, and its gradient on the way back.
 */
#include "train/ops/cast.h"

#include "tests/support/op_check.h"
#include "tests/support/t.h"

static void test_same_type_is_same_tensor(void **state)
{
    struct dev *d = op_device("reference", 1);
    struct gr_params params;
    struct gr_graph *g;
    int64_t dims[] = {2, 3};
    struct gr_tensor *x, *y;

    (void) state;
    gr_params_init(&params, d);
    g = gr_new(d, &params, false);
    x = gr_floats(g, 2, dims);
    assert_ptr_equal(nn_convert(g, x, DEV_FLOAT32), x);
    assert_int_equal(gr_bytes(x), 24);
    y = nn_convert(g, x, DEV_BFLOAT16);
    assert_ptr_not_equal(y, x);
    assert_int_equal(y->type, DEV_BFLOAT16);
    assert_int_equal(gr_bytes(y), 12);
    gr_free(g);
    gr_params_release(&params);
}

/* x as bfloat16 and back: values and gradients are those of x, rounded. */
static void test_there_and_back(void **state)
{
    static const char *const devices[] = {"reference", "cpu"};

    (void) state;
    for (int i = 0; i < 2; i++)
        for (int again = 0; again < 2; again++) {
            struct t2_err err = T2_ERR_INIT;
            struct dev *d = op_device(devices[i], 2);
            const struct gr_context context = {0};
            float values[40], back[40], grads[40];
            int64_t dims[] = {40};
            struct gr_params params;
            struct gr_tensor *x, *y, *keep[2];
            struct gr_node *loss;
            struct gr_graph *g;
            void *arena;

            gr_params_init(&params, d);
            g = gr_new(d, &params, true);
            x = gr_param(g, "x", 1, dims, 0, GR_INIT_ZEROS, 0.0);
            y = nn_convert(g, nn_convert(g, x, again ? DEV_FLOAT16 : DEV_BFLOAT16), DEV_FLOAT32);
            loss = gr_add_node(g, y->producer->op, 1, &y, NULL);
            keep[0] = y;
            assert_int_equal(gr_finish(g, loss, keep, 1, &err), T2_OK);
            assert_int_equal(gr_params_freeze(&params, &err), T2_OK);
            g->n_nodes = 2; /* the loss was there for the plan; its backward run is the first */
            arena = d->alloc(d, g->arena_bytes);
            gr_bind(g, arena);
            t_fill(values, 40, 7);
            d->upload_now(d, x->value, values, sizeof values);
            gr_run_forward(g, &context);
            d->upload_now(d, y->grad, values, sizeof values);
            g->backward_steps++; /* the gradient of y is given */
            g->n_backward_steps--;
            d->download(d, back, y->value, sizeof back);
            gr_run_backward(g, &context);
            g->backward_steps--;
            d->download(d, grads, x->grad, sizeof grads);
            for (int k = 0; k < 40; k++) {
                float expected = dev_round(again ? DEV_FLOAT16 : DEV_BFLOAT16, values[k]);

                assert_true(back[k] == expected && grads[k] == expected);
            }
            d->free(d, arena);
            gr_free(g);
            gr_params_release(&params);
        }
}

T_MAIN(cmocka_unit_test(test_same_type_is_same_tensor), cmocka_unit_test(test_there_and_back))
