/*
 * Tests of train/graph/watch.c: a NaN that is planted in a layer is the first that is found, with
 * the names of operator and layer; watching changes no gradient.
 */
#include "train/graph/watch.h"

#include <math.h>
#include <string.h>

#include "tests/unit/train/small_run.h"
#include "train/runs/not_finite.h"

static struct t2_err err;

#define OK(expression)                                                                             \
    do {                                                                                           \
        if ((expression) != T2_OK)                                                                 \
            fail_msg("%s", err.message);                                                           \
    } while (0)

static struct tr_run *two_layers(const char *name)
{
    const char *data = t_tmp_path(name);
    char *dir = t2_asprintf("%s-run", data);
    struct tr_run *r;

    small_data(data);
    r = small_run(data, dir, "num_hidden_layers=2", 4, 1);
    t2_free(dir);
    return r;
}

static float *gradients(struct tr_run *r)
{
    const struct gr_params *p = mdl_params(r->model);
    float *g = t2_alloc((size_t) p->n_floats, sizeof *g);

    r->dev->download(r->dev, g, p->grads, (size_t) p->n_floats * sizeof *g);
    return g;
}

static void test_same_gradients(void **state)
{
    struct tr_run *r = two_layers("same");
    struct gr_watch watch = {0};
    struct mdl_batch batch;
    struct mdl_loss loss, watched;
    uint64_t samples;
    float *a, *b;

    (void) state;
    OK(in_next(r->train, &batch, &samples, &err));
    OK(mdl_train_step(r->model, &batch, 3, 0, &loss, &err));
    a = gradients(r);
    OK(tr_watch_step(r, &batch, &watch, &watched, &err));
    b = gradients(r);
    assert_memory_equal(a, b, (size_t) mdl_params(r->model)->n_floats * sizeof *a);
    assert_true(loss.numerator == watched.numerator);
    assert_null(gr_watch_first_bad(&watch));
    assert_true(watch.n > 50);
    for (size_t i = 0; i < watch.n; i++)
        assert_true(watch.ranges[i].least <= watch.ranges[i].most);
    gr_watch_release(&watch);
    t2_free(a);
    t2_free(b);
    tr_run_free(r);
}

static void test_planted(void **state)
{
    struct tr_run *r = two_layers("planted");
    const struct gr_range *bad;
    struct gr_watch watch = {0};
    struct mdl_batch batch;
    struct mdl_loss loss;
    struct t2_buf text = {0};
    uint64_t samples;

    (void) state;
    OK(in_next(r->train, &batch, &samples, &err));
    r->watch.plant_layer = 2;
    OK(tr_watch_step(r, &batch, &watch, &loss, &err));
    assert_true(isnan(loss.numerator));
    bad = gr_watch_first_bad(&watch);
    assert_non_null(bad);
    assert_string_equal(bad->op, "linear");
    assert_string_equal(bad->scope, "transformer/body/encoder/layer_1");
    assert_int_equal(bad->n_not_finite, 1);
    assert_false(bad->backward);
    gr_range_name(bad, &text);
    t_assert_contains(t2_buf_cstr(&text), "operator 'linear', forward, in "
                                          "transformer/body/encoder/layer_1, with '");
    t2_buf_release(&text);
    gr_watch_release(&watch);
    tr_run_free(r);
}

T_MAIN(cmocka_unit_test(test_same_gradients), cmocka_unit_test(test_planted))
