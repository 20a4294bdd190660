/*
 * Tests of train/ckpt/warm_start.c: what has the same name and shape is taken, the rest is named.
 */
#include "train/ckpt/warm_start.h"

#include <math.h>
#include <string.h>

#include "tests/unit/train/small_run.h"
#include "train/runs/loop.h"

static struct t2_err err;

#define OK(expression)                                                                             \
    do {                                                                                           \
        if ((expression) != T2_OK)                                                                 \
            fail_msg("%s", err.message);                                                           \
    } while (0)

static float *values(struct tr_run *r, const char *name, size_t *n)
{
    const struct gr_variable *v = gr_params_find(mdl_params(r->model), name);
    float *out = t2_alloc((size_t) v->n, sizeof *out);

    *n = (size_t) v->n;
    r->dev->download(r->dev, out, mdl_params(r->model)->values + v->offset, *n * sizeof *out);
    return out;
}

static bool same(struct tr_run *a, struct tr_run *b, const char *name)
{
    size_t n, m;
    float *x = values(a, name, &n), *y = values(b, name, &m);
    bool equal = n == m && memcmp(x, y, n * sizeof *x) == 0;

    t2_free(x);
    t2_free(y);
    return equal;
}

static const char query[] =
    "transformer/body/encoder/layer_0/self_attention/multihead_attention/q/kernel";
static const char ffn[] = "transformer/body/encoder/layer_0/ffn/conv1/kernel";

static void test_warm_start(void **state)
{
    const char *data = t_tmp_path("data"), *dir = t_tmp_path("old");
    char *file = t2_path_join(dir, "model-6.safetensors");
    struct ckpt_warm_start w;
    struct tr_run *old, *other;

    (void) state;
    small_data(data);
    old = small_run(data, dir, "", 6, 1);
    OK(tr_train(old, &err));
    other = small_run(data, t_tmp_path("same"), "", 6, 1); /* all of it */
    assert_false(same(old, other, query));
    OK(ckpt_warm_start(dir, mdl_params(other->model), &w, &err));
    assert_int_equal(w.n_other_shape + w.n_absent, 0);
    assert_int_equal(w.text.len_bytes, 0);
    assert_true(same(old, other, query) && same(old, other, ffn));
    t2_buf_release(&w.text);
    tr_run_free(other);
    other = small_run(data, t_tmp_path("wide"), "filter_size=32,num_hidden_layers=2", 6, 1);
    OK(ckpt_warm_start(file, mdl_params(other->model), &w, &err));
    assert_true(w.n_other_shape > 0 && w.n_absent > 0 && w.n_taken > 0);
    assert_true(same(old, other, query));
    t_assert_contains(t2_buf_cstr(&w.text), "ffn/conv1/kernel' is F32 [16, 24] there, F32 [16, 32]"
                                            " here");
    t_assert_contains(t2_buf_cstr(&w.text), "encoder/layer_1/ffn/conv1/kernel' is not there");
    t2_buf_release(&w.text);
    tr_run_free(other);
    tr_run_free(old);
    t2_free(file);
}

static void test_refused(void **state)
{
    const char *data = t_tmp_path("data2"), *dir = t_tmp_path("wrong");
    struct ckpt_warm_start w;
    struct tr_run *r, *other;

    (void) state;
    small_data(data);
    r = small_run(data, dir, "", 4, 1);
    assert_int_equal(ckpt_warm_start(dir, mdl_params(r->model), &w, &err), T2_ENOTFOUND);
    OK(tr_train(r, &err));
    other = small_run(data, t_tmp_path("none"), "hidden_size=8,filter_size=12", 4, 1);
    assert_int_equal(ckpt_warm_start(dir, mdl_params(other->model), &w, &err), T2_EFORMAT);
    t_assert_contains(err.message, "has no variable of this model with its shape");
    t2_buf_release(&w.text);
    tr_run_free(other);
    tr_run_free(r);
}

T_MAIN(cmocka_unit_test(test_warm_start), cmocka_unit_test(test_refused))
