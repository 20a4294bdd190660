/* Tests of train/models/shake_shake.c; values are compared with the original's in
 * tests/oracle/test_recorded_cnn.c. */
#include <math.h>

#include "tests/unit/train/image_model.h"

static const struct image_case small = {
    "shake_shake", "shakeshake_small",
    "hidden_size=32,num_hidden_layers=8,learning_rate=0.1,learning_rate_warmup_steps=1", 8, 3};

static void test_runs(void **state)
{
    static const struct image_case concat = {
        "shake_shake", "shakeshake_small",
        "hidden_size=16,num_hidden_layers=8,shake_shake_concat=1,learning_rate=0.1,"
        "layer_prepostprocess_dropout=0.1,shake_shake_num_branches=3,learning_rate_warmup_steps=1",
        8, 3};

    (void) state;
    image_check_runs(&small);
    image_check_runs(&concat);
}

struct numbers {
    float values[2][8]; /* of the first branch forward, of the second */
    float backward;
};

/* What draw puts into the graph of a step. */
static struct numbers drawn(struct image_run *r, uint64_t seed, uint64_t step, bool training)
{
    struct mdl_build b = {.model = "shake_shake", .hp = r->hp, .problem = &r->m->problem};
    struct mdl_shape shape = {
        .batch = 8, .targets_length = 1, .height = 8, .width = 8, .channels = 3};
    struct mdl_draw draw = {.training = training, .seed = seed, .step = step};
    struct mdl_graph g = {.shape = shape};
    struct t2_err err = T2_ERR_INIT;
    struct numbers n;
    void *arena;

    g.g = b.g = gr_new(r->dev, &r->m->params, true);
    r->m->kind->build(&b, &shape, false, &g);
    assert_int_equal(g.n_coefficients, 3 * 2 * 2);
    assert_int_equal(gr_finish(g.g, g.loss, &g.row_stats, 1, &err), T2_OK);
    arena = r->dev->alloc(r->dev, g.g->arena_bytes);
    gr_bind(g.g, arena);
    r->m->kind->draw(&g, r->dev, r->hp, &draw);
    memcpy(n.values[0], g.coefficients[0]->value, sizeof n.values[0]);
    memcpy(n.values[1], g.coefficients[2]->value, sizeof n.values[1]);
    n.backward = g.coefficients[1]->value[0];
    r->dev->free(r->dev, arena);
    gr_free(g.g);
    return n;
}

static void test_numbers(void **state)
{
    struct image_run r;
    struct numbers a, b;

    (void) state;
    image_run_new(&r, &small, 1, false);
    a = drawn(&r, 1, 2, true);
    b = drawn(&r, 1, 2, true);
    assert_memory_equal(&a, &b, sizeof a);
    for (int i = 0; i < 8; i++) {
        assert_true(fabs((double) (a.values[0][i] + a.values[1][i]) - 1.0) < 1e-6);
        assert_true(a.values[0][i] > 0.0f && a.values[0][i] < 1.0f);
        assert_true(i == 0 || a.values[0][i] != a.values[0][0]); /* of each example */
    }
    assert_true(a.backward != a.values[0][0]);
    b = drawn(&r, 1, 3, true);
    assert_memory_not_equal(&a, &b, sizeof a);
    b = drawn(&r, 2, 2, true);
    assert_memory_not_equal(&a, &b, sizeof a);
    b = drawn(&r, 1, 2, false);
    assert_true(b.values[0][3] == 0.5f && b.backward == 0.5f);
    image_run_release(&r);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *overrides, *text;
    } rows[] = {{"num_hidden_layers=9", "2 more than a multiple of 6, not 9"},
                {"hidden_size=24", "a multiple of 16, not 24"},
                {"shake_shake_num_branches=9", "between 1 and 8, not 9"}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct image_case p = {"shake_shake", "shakeshake_small", rows[i].overrides, 8, 3};

        image_refused(&p, T2_EUSAGE, rows[i].text);
    }
}

T_MAIN(cmocka_unit_test(test_runs), cmocka_unit_test(test_numbers), cmocka_unit_test(test_refusals))
