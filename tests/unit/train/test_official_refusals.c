/*
 * tests/unit/train/test_official_refusals.c - what the official Transformer refuses, its initial
 * values and gradients, recomputed layers, threads.  What it computes is in
 * tests/oracle/test_official_transformer.c.
 */
#include <math.h>

#include "base/alloc.h"
#include "tests/support/device_floats.h"
#include "tests/unit/train/tiny_model.h"

static const char small[] = "hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=2,"
                            "vocab_size=23";

static struct mdl_hparams *small_hparams(const char *overrides)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    if (mdl_hparams_new("official_transformer_tiny", &hp, &err) != T2_OK ||
        mdl_hparams_override(hp, small, &err) != T2_OK ||
        mdl_hparams_override(hp, overrides, &err) != T2_OK)
        fail_msg("%s", err.message);
    return hp;
}

static enum t2_status make(struct dev *d, const char *overrides, const struct mdl_problem *problem,
                           enum mdl_mode mode, struct mdl **m, struct t2_err *err)
{
    struct mdl_hparams *hp = small_hparams(overrides);
    enum t2_status st = mdl_new("official_transformer", d, hp, problem, mode, m, err);

    mdl_hparams_free(hp);
    return st;
}

static void refused(const char *overrides, const struct mdl_problem *problem, enum t2_status status,
                    const char *part)
{
    struct mdl_hparams *hp = small_hparams(overrides);

    tiny_refused("official_transformer", hp, problem, status, part);
    mdl_hparams_free(hp);
}

static void test_refused_values(void **state)
{
    static const struct {
        const char *overrides;
        enum t2_status status;
        const char *part;
    } cases[] = {
        {"num_heads=3", T2_EUSAGE, "hidden_size=16 must be even and divisible by num_heads=3"},
        {"hidden_size=15,num_heads=5", T2_EUSAGE, "hidden_size=15 must be even"},
        {"hidden_size=2", T2_EUSAGE, "hidden_size=2 must lie between 4 and"},
        {"num_hidden_layers=65", T2_EUSAGE, "num_hidden_layers=65 must lie between 1 and 64"},
        {"vocab_size=-1", T2_EUSAGE, "vocab_size=-1 must lie between"},
        {"vocab_size=22", T2_EUSAGE,
         "vocab_size=22 is less than the 23 entries of the vocabulary; with vocab_size=0"},
        {"relu_dropout=1.0", T2_EUSAGE, "relu_dropout=1 must be at least 0 and below 1"},
        {"label_smoothing=-0.1", T2_EUSAGE, "label_smoothing=-0.1 must be at least 0"},
        {"layer_preprocess_sequence=none", T2_EUNSUPPORTED,
         "layer_preprocess_sequence is always 'n', not 'none'"},
        {"initializer=uniform", T2_EUNSUPPORTED, "initializer is always 'xavier'"},
        {"initializer_gain=2", T2_EUNSUPPORTED, "initializer_gain is always 1, not 2"},
        {"norm_epsilon=1e-5", T2_EUNSUPPORTED, "norm_epsilon is always 1e-06, not 1e-05"},
        {"shared_embedding_and_softmax_weights=false", T2_EUNSUPPORTED,
         "shared_embedding_and_softmax_weights is always true"},
        {"min_length_bucket=16", T2_EUNSUPPORTED, "min_length_bucket is always 8, not 16"},
        {"use_fixed_batch_size=true", T2_EUNSUPPORTED, "use_fixed_batch_size is always false"},
        {"weight_dtype=bfloat16", T2_EUNSUPPORTED, "weight_dtype is always 'float32'"},
    };
    struct mdl_problem two = tiny_translation;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(cases[i].overrides, &tiny_translation, cases[i].status, cases[i].part);
    two.inputs_vocab = 20;
    refused("", &two, T2_EUNSUPPORTED,
            "one vocabulary for inputs and targets; the problem has two");
    refused("", &tiny_language, T2_EUNSUPPORTED, "it needs a problem with inputs");
}

static void test_set_of_another_model(void **state)
{
    struct mdl_hparams *hp = tiny_hparams("");

    (void) state;
    tiny_refused(
        "official_transformer", hp, &tiny_translation, T2_EUSAGE,
        "set 'transformer_test' has not; take one of its own, such as "
        "--hparams_set=official_transformer_base, or the model of that set, --model=transformer");
    mdl_hparams_free(hp);
}

static void test_packed_is_refused(void **state)
{
    static const int32_t ids[6] = {5, 6, 1, 7, 8, 1}, segments[6] = {1, 1, 1, 2, 2, 2},
                         positions[6] = {0, 1, 2, 0, 1, 2};
    struct mdl_batch b = {.batch = 1,
                          .inputs_length = 6,
                          .targets_length = 6,
                          .inputs = ids,
                          .targets = ids,
                          .inputs_segmentation = segments,
                          .inputs_position = positions,
                          .targets_segmentation = segments,
                          .targets_position = positions};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_loss loss;
    struct mdl *m;

    (void) state;
    assert_int_equal(make(op_device("cpu", 1), "", &tiny_translation, MDL_TRAIN, &m, &err), T2_OK);
    assert_int_equal(mdl_train_step(m, &b, 1, 0, &loss, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "packed data is not supported");
    mdl_free(m);
}

/* ---- initial values (§7.1, §7.5, §7.6) ---- */

static void check_range(struct mdl *m, const char *name, double half_width)
{
    const struct gr_params *p = mdl_params(m);
    const struct gr_variable *v = gr_params_find(p, name);
    double largest = 0.0, squares = 0.0;
    float *values;

    if (!v)
        fail_msg("no variable %s", name);
    values = device_floats(p->dev, p->values + v->offset, v->n);
    for (int64_t i = 0; i < v->n; i++) {
        double x = (double) values[i];

        largest = fmax(largest, fabs(x));
        squares += x * x / (double) v->n;
    }
    free(values);
    assert_true(largest <= half_width && largest > 0.95 * half_width);
    assert_true(fabs(sqrt(squares) - half_width / sqrt(3.0)) < 0.05 * half_width);
}

static void test_initial_values(void **state)
{
#define AT "transformer_v2/Transformer/"
    struct t2_err err = T2_ERR_INIT;
    const struct gr_params *p;
    const struct gr_variable *v;
    double squares = 0.0;
    float *values;
    struct mdl *m;

    (void) state;
    assert_int_equal(make(op_device("cpu", 1), "hidden_size=64,filter_size=96,vocab_size=200",
                          &tiny_translation, MDL_TRAIN, &m, &err),
                     T2_OK);
    assert_int_equal(mdl_initialise(m, 1, &err), T2_OK);
    check_range(m,
                AT "encode/encoder_stack/layer_0/self_attention/pre_post_processing_wrapper/"
                   "self_attention/query/kernel",
                sqrt(6.0 / 128));
    check_range(m,
                AT "decode/decoder_stack/layer_1/encdec_attention/pre_post_processing_wrapper_8/"
                   "attention_1/output_transform/kernel",
                sqrt(6.0 / 128));
    check_range(m,
                AT "decode/decoder_stack/layer_1/ffn/pre_post_processing_wrapper_9/"
                   "feed_forward_network_3/filter_layer/kernel",
                sqrt(6.0 / 160));
    p = mdl_params(m);
    v = gr_params_find(p, AT "encode/embedding_shared_weights/embedding_and_softmax/weights");
    assert_non_null(v);
    values = device_floats(p->dev, p->values + v->offset, v->n);
    for (int64_t i = 0; i < v->n; i++)
        squares += pow((double) values[i], 2.0) / (double) v->n;
    free(values);
    assert_true(fabs(sqrt(squares) * 8.0 - 1.0) < 0.05);
    mdl_free(m);
#undef AT
}

/* ---- same bits ---- */

/* Gradients and loss of one step with dropout. */
static float *gradients(int threads, bool remat, double *loss_out, int64_t *n)
{
    int32_t inputs[5 * 9], targets[5 * 8];
    struct mdl_batch b = {
        .batch = 5, .inputs_length = 9, .targets_length = 8, .inputs = inputs, .targets = targets};
    struct t2_err err = T2_ERR_INIT;
    struct dev *d = op_device("cpu", threads);
    struct mdl_loss loss;
    struct mdl *m;
    float *copy;

    tiny_ids(inputs, 5, 9, 3);
    tiny_ids(targets, 5, 8, 4);
    assert_int_equal(make(d, "", &tiny_translation, MDL_TRAIN, &m, &err), T2_OK);
    mdl_set_remat(m, remat);
    assert_int_equal(mdl_initialise(m, 1, &err), T2_OK);
    assert_int_equal(mdl_train_step(m, &b, 1, 3, &loss, &err), T2_OK);
    *n = mdl_params(m)->n_floats;
    copy = device_floats(d, mdl_params(m)->grads, *n);
    *loss_out = loss.numerator;
    mdl_free(m);
    return copy;
}

static void test_same_bits(void **state)
{
    double one, other;
    int64_t n, m;
    float *a = gradients(1, false, &one, &n), *b;

    (void) state;
    for (int i = 0; i < 2; i++) {
        b = gradients(i == 0 ? 2 : 1, i == 1, &other, &m);
        assert_int_equal(n, m);
        assert_true(one == other);
        assert_memory_equal(a, b, (size_t) n * sizeof *a);
        free(b);
    }
    free(a);
}

/* Step by step gives what the whole gives at once, also with more rows in the table than ids. */
static void test_steps_equal_the_whole(void **state)
{
    enum { V = 31, L = 7 };
    int32_t inputs[9], targets[L];
    struct mdl_batch b = {
        .batch = 1, .inputs_length = 9, .targets_length = L, .inputs = inputs, .targets = targets};
    struct t2_err err = T2_ERR_INIT;
    float whole[L * V];
    struct mdl_decoder *d;
    struct mdl *m;

    (void) state;
    tiny_ids(inputs, 1, 9, 5);
    tiny_ids(targets, 1, L, 6);
    assert_int_equal(make(op_device("cpu", 1), "vocab_size=31", &tiny_translation, MDL_EVAL, &m,
                          &err),
                     T2_OK);
    assert_int_equal(mdl_initialise(m, 1, &err), T2_OK);
    assert_true(mdl_official_search(m));
    assert_int_equal(mdl_logits(m, &b, whole, &err), T2_OK);
    assert_int_equal(mdl_decoder_new(m, NULL, &d, &err), T2_OK);
    assert_int_equal(mdl_decoder_begin(d, &(struct mdl_search_shape){1, 1, 9, L, 0, 0}, inputs,
                                       &err),
                     T2_OK);
    assert_int_equal(mdl_decoder_vocab(d), V);
    for (int l = 0; l < L; l++) {
        const float *logits;

        assert_int_equal(mdl_decoder_step(d, l, l ? &targets[l - 1] : NULL, &logits, &err), T2_OK);
        t_assert_close(logits, whole + (size_t) l * V, V, 1e-5, 1e-5);
    }
    mdl_decoder_free(d);
    mdl_free(m);
}

T_MAIN(cmocka_unit_test(test_refused_values), cmocka_unit_test(test_set_of_another_model),
       cmocka_unit_test(test_packed_is_refused), cmocka_unit_test(test_initial_values),
       cmocka_unit_test(test_same_bits), cmocka_unit_test(test_steps_equal_the_whole))
