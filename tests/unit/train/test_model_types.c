/*
 * tests/unit/train/test_model_types.c - a model whose activations are stored in 16 bits: the same
 * bits on any number of threads and on device far, gradients that point where float32's point, and
 * less memory.
 */
#include <math.h>

#include "base/alloc.h"
#include "tests/unit/train/tiny_model.h"

static struct tiny_batch batch;
static const char wide[] = "hidden_size=64,filter_size=128,num_heads=4";
static const enum dev_type types[] = {DEV_BFLOAT16, DEV_FLOAT16};

struct result {
    float *gradients;
    size_t bytes, arena_bytes;
    double loss;
};

/* One step with a precision; `scale` is the loss scale. */
static struct result step_of(const char *overrides, const char *device, int num_threads,
                             enum dev_type type, double scale)
{
    struct dev *d = op_device(device, num_threads);
    struct t2_err err = T2_ERR_INIT;
    struct mdl_loss loss;
    struct result r;
    struct gr_params *p;
    struct mdl *m;

    d->precision = type;
    m = tiny_model(d, overrides, &tiny_translation, MDL_TRAIN);
    mdl_set_loss_scale(m, scale);
    p = mdl_params(m);
    assert_int_equal(mdl_train_step(m, tiny_batch(&batch, 9, 35, 41, 5), 3, 7, &loss, &err), T2_OK);
    r.loss = loss.numerator / loss.denominator;
    r.arena_bytes = m->arena_bytes;
    r.bytes = (size_t) p->n_floats * sizeof *r.gradients;
    r.gradients = malloc(r.bytes);
    assert_non_null(r.gradients);
    d->download(d, r.gradients, p->grads, r.bytes);
    mdl_free(m);
    d->precision = DEV_FLOAT32;
    return r;
}

static struct result step(const char *device, int num_threads, enum dev_type type, double scale)
{
    return step_of(wide, device, num_threads, type, scale);
}

/* The cosine of the angle between two gradients. */
static double cosine(const struct result *a, const struct result *b)
{
    double ab = 0.0, aa = 0.0, bb = 0.0;

    for (size_t i = 0; i < a->bytes / sizeof(float); i++) {
        double x = (double) a->gradients[i], y = (double) b->gradients[i];

        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    return ab / sqrt(aa * bb);
}

static void test_steps(void **state)
{
    struct result full = step("cpu", 2, DEV_FLOAT32, 1.0);

    (void) state;
    for (int t = 0; t < 2; t++) {
        struct result one = step("cpu", 1, types[t], 1024.0), plain, far;

        assert_true(fabs(one.loss / full.loss - 1.0) < 0.01);
        assert_true(cosine(&one, &full) > 0.995);
        assert_true(one.arena_bytes < full.arena_bytes);
        for (int threads = 2; threads <= 3; threads++) {
            struct result more = step("cpu", threads, types[t], 1024.0);

            assert_memory_equal(more.gradients, one.gradients, one.bytes);
            free(more.gradients);
        }
        plain = step("reference", 1, types[t], 1024.0);
        far = step("far", 1, types[t], 1024.0);
        assert_true(cosine(&one, &plain) > 0.999);
        assert_memory_equal(far.gradients, plain.gradients, plain.bytes);
        free(one.gradients);
        free(plain.gradients);
        free(far.gradients);
    }
    free(full.gradients);
}

/* All kinds of layers: what stands for a parameter stays float32. */
static void test_layers(void **state)
{
    static const char *const overrides[] = {
        "self_attention_type=dot_product_relative,max_relative_position=2,pos=none",
        "self_attention_type=dot_product_relative_v2,max_relative_position=5,"
        "add_relative_to_values=true",
        "attention_variables_3d=true",
        "ffn_layer=conv_relu_conv",
        "ffn_layer=conv_hidden_relu_with_sepconv",
        "ffn_layer=parameter_attention,parameter_attention_key_channels=8",
        "prepend_mode=prepend_inputs_masked_attention",
        "unidirectional_encoder=true,proximity_bias=true",
        "pos=emb,max_length=64",
        "layer_preprocess_sequence=none,layer_postprocess_sequence=dan",
        "shared_embedding_and_softmax_weights=false,multiply_embedding_mode=none"};

    (void) state;
    for (size_t i = 0; i < sizeof overrides / sizeof *overrides; i++) {
        struct result full = step_of(overrides[i], "cpu", 2, DEV_FLOAT32, 1.0);
        struct result half = step_of(overrides[i], "cpu", 2, DEV_BFLOAT16, 1.0);

        if (!(fabs(half.loss / full.loss - 1.0) < 0.02 && cosine(&half, &full) > 0.98))
            fail_msg("%s: loss %g instead of %g, cosine %g", overrides[i], half.loss, full.loss,
                     cosine(&half, &full));
        free(full.gradients);
        free(half.gradients);
    }
}

/* Without a scale most gradients of float16 are 0; a power of two changes no bit of float32's. */
static void test_loss_scale(void **state)
{
    struct result none = step("cpu", 1, DEV_FLOAT32, 1.0);
    struct result scaled = step("cpu", 1, DEV_FLOAT32, 4096.0);
    struct result large = step("cpu", 1, DEV_FLOAT16, 0x1p40);
    bool finite = true;

    (void) state;
    assert_memory_equal(scaled.gradients, none.gradients, none.bytes);
    for (size_t i = 0; i < large.bytes / sizeof(float); i++)
        finite = finite && isfinite(large.gradients[i]);
    assert_false(finite); /* an update must be left out then */
    free(none.gradients);
    free(scaled.gradients);
    free(large.gradients);
}

T_MAIN(cmocka_unit_test(test_steps), cmocka_unit_test(test_layers),
       cmocka_unit_test(test_loss_scale))
