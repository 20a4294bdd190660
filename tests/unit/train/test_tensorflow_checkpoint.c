/* Tests of train/exchange/tensorflow_checkpoint.c: what the trainer of Tensor2Tensor looks for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tests/unit/train/exchanged.h"
#include "train/ckpt/bundle.h"
#include "train/ckpt/encoded_weights.h"

static float number_of(const struct ckpt_file *f, const char *name)
{
    const struct ckpt_tensor *t = ckpt_find(f, name);
    float x;

    assert_non_null(t);
    assert_int_equal(t->rank, 0);
    memcpy(&x, t->data, sizeof x);
    return x;
}

static void test_folder(void **state)
{
    const float slot[] = {1, 2, 3};
    const struct ckpt_tensor slots[] = {{"training/x/Adam", CKPT_F32, 1, {3}, sizeof slot, slot}};
    const char *dir = t_tmp_path("run");
    char *prefix = t2_asprintf("%s/model.ckpt-7", dir), *path = t2_asprintf("%s/checkpoint", dir);
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;
    struct exchanged e;
    int64_t step;
    char *text;
    size_t n;

    (void) state;
    exchanged_open(&e, "");
    assert_int_equal(xch_write_tensorflow(&e.m, dir, NULL, 0, 7, &err), T2_OK);
    assert_int_equal(ckpt_open_bundle(prefix, &f, &err), T2_OK);
    assert_int_equal(ckpt_count(f), e.m.params->n_variables + 1); /* nothing of training */
    ckpt_close(f);
    assert_int_equal(xch_write_tensorflow(&e.m, dir, slots, 1, 5, &err), T2_OK);
    assert_int_equal(ckpt_open_bundle(prefix, &f, &err), T2_OK);
    for (int i = 0; i < e.m.params->n_variables; i++)
        assert_non_null(ckpt_find(f, e.m.params->variables[i].name));
    memcpy(&step, ckpt_find(f, "global_step")->data, sizeof step);
    assert_int_equal(step, 7);
    assert_memory_equal(ckpt_find(f, "training/x/Adam")->data, slot, sizeof slot);
    assert_true(fabsf(number_of(f, "training/beta1_power") - powf(0.9F, 6)) < 1e-6F);
    assert_true(fabsf(number_of(f, "training/beta2_power") - powf(0.997F, 6)) < 1e-6F);
    ckpt_close(f);
    text = t_read_file(path, &n);
    assert_string_equal(text, "model_checkpoint_path: \"model.ckpt-7\"\n"
                              "all_model_checkpoint_paths: \"model.ckpt-7\"\n");
    free(text);
    t2_free(path);
    t2_free(prefix);
    exchanged_close(&e);
}

/* hparam weight_dtype=bfloat16: 2 bytes a weight, which come back as they were; weights that no
 * number stands for, as after an average, come back as the nearest. */
static void test_encoded(void **state)
{
    const char *dir = t_tmp_path("encoded");
    char *prefix = t2_asprintf("%s/model.ckpt-7", dir);
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;
    struct exchanged e;

    (void) state;
    exchanged_open(&e, ",optimizer=Adafactor,weight_dtype=bfloat16");
    assert_true(e.m.params->encoded);
    assert_int_equal(xch_write_tensorflow(&e.m, dir, NULL, 0, 7, &err), T2_OK);
    assert_int_equal(ckpt_open_bundle(prefix, &f, &err), T2_OK);
    for (int i = 0; i < e.m.params->n_variables; i++) {
        const struct ckpt_tensor *t = ckpt_find(f, e.m.params->variables[i].name);

        assert_int_equal(t->type, CKPT_BF16);
        assert_int_equal(t->n_bytes, 2 * e.m.params->variables[i].n);
    }
    ckpt_decode_weights(f);
    for (int i = 0; i < e.m.params->n_variables; i++) {
        const struct gr_variable *v = &e.m.params->variables[i];
        const struct ckpt_tensor *t = ckpt_find(f, v->name);
        float *values = NULL;

        assert_int_equal(t->type, CKPT_F32);
        assert_int_equal(t->n_bytes, 4 * v->n);
        assert_int_equal(xch_variable(&e.m, v, &values, &err), T2_OK);
        assert_memory_equal(t->data, values, t->n_bytes);
        t2_free(values);
    }
    ckpt_close(f);
    t2_free(prefix);
    exchanged_close(&e);
}

T_MAIN(cmocka_unit_test(test_folder), cmocka_unit_test(test_encoded))
