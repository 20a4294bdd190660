/* Tests of train/models/layer_file_build.c. */
#include "base/file.h"
#include "tests/support/device_floats.h"
#include "tests/unit/train/layer_net.h"
#include "tests/unit/train/tiny_model.h"

static char *example(const char *name)
{
    struct t2_err err = T2_ERR_INIT;
    const char *root = getenv("T2_ROOT");
    struct t2_buf text = {0};
    char *path = t2_asprintf("%s/docs/models/%s", root ? root : ".", name);

    if (t2_read_file(path, 0, &text, &err) != T2_OK)
        fail_msg("%s", err.message);
    t2_free(path);
    return t2_buf_detach(&text);
}

/* Variables in the same order, and three steps with the same bits. */
static void same_bits(const struct image_case *file, const char *text,
                      const struct image_case *built_in)
{
    struct image_run a, b;

    image_layers = text;
    image_run_new(&a, file, 2, false);
    image_layers = NULL;
    image_run_new(&b, built_in, 1, false);
    image_run_steps(&a, 0, 3);
    image_run_steps(&b, 0, 3);
    for (int i = 0; i < mdl_params(a.m)->n_variables; i++)
        assert_string_equal(mdl_params(a.m)->variables[i].name, mdl_params(b.m)->variables[i].name);
    image_same(&a, &b);
    assert_true(a.last_loss == b.last_loss);
    image_run_release(&a);
    image_run_release(&b);
}

static void test_flowers(void **state)
{
    static const char hp[] = "hidden_size=30,learning_rate_constant=0.003,label_smoothing=0.1";
    char *text = example("flowers_cnn.yaml");

    (void) state;
    same_bits(&(struct image_case){"flowers.yaml", "flowers_cnn", hp, 11, 3}, text,
              &(struct image_case){"flowers_cnn", "flowers_cnn", hp, 11, 3});
    t2_free(text);
}

/* With the regulariser in the gradients. */
static void test_resnet(void **state)
{
    static const char hp[] = "weight_decay=0.01,learning_rate_constant=0.01";
    char *text = example("resnet_18.yaml");

    (void) state;
    same_bits(&(struct image_case){"resnet_18.yaml", "mg_resnet_imagenet", hp, 24, 3}, text,
              &(struct image_case){"mg_resnet", "mg_resnet_imagenet",
                                   "weight_decay=0.01,learning_rate_constant=0.01,resnet_depth=18",
                                   24, 3});
    t2_free(text);
}

/* Every layer there is; pieces that are and are not part of an operator. */
static const char all_layers[] =
    "layers:\n"
    "  - max_pool: {pool_size: 3, strides: 1, padding: same}\n"
    "  - conv2d: {filters: 6, kernel_size: 3, padding: same, activation: gelu,"
    " kernel_regularizer: {l2: 0.001}}\n"
    "  - depthwise_conv2d: {kernel_size: 3, padding: same, activation: relu}\n"
    "  - residual:\n"
    "      activation: swish\n"
    "      layers:\n"
    "        - dense: {units: 6, kernel_initializer: he_uniform}\n"
    "        - batch_norm\n"
    "        - leaky_relu\n"
    "        - relu6\n"
    "        - hard_swish\n"
    "        - tanh\n"
    "        - squeeze_excite\n"
    "  - concat:\n"
    "      - - avg_pool: {pool_size: 3, strides: 1, padding: same}\n"
    "        - batch_norm\n"
    "      - []\n"
    "      - []\n"
    "  - add:\n"
    "      - - dense: {units: 6, activation: relu}\n"
    "        - dropout: 0.1\n"
    "      - - dense: 6\n"
    "        - dropout: 0.1\n"
    "      - - dense: {units: 6, kernel_initializer: glorot_normal}\n"
    "  - reshape: [-1, 6]\n"
    "  - residual:\n"
    "      - layer_norm\n"
    "      - attention: {num_heads: 2, key_dim: 3, rate: 0.1}\n"
    "  - batch_norm: {activation: relu}\n"
    "  - concat: [[dense: 2], [dense: 3]]\n"
    "  - mean\n"
    "  - concat: [[dense: 20], []]\n"
    "  - dense: {units: 30, activation: relu}\n"
    "  - dropout: $dropout\n"
    "  - dense: $classes\n";

static void test_all_layers(void **state)
{
    static const struct image_case mine = {"mine.yaml", "flowers_cnn",
                                           "learning_rate_constant=0.01,dropout=0.1", 8, 3};

    (void) state;
    image_layers = all_layers;
    image_check_runs(&mine);
    image_layers = NULL;
}

/* A text of ids: embedding, positions, attention that does not see padding. */
static void test_text(void **state)
{
    static const char text[] = "layers:\n"
                               "  - embedding: {output_dim: $hidden_size, timing: true}\n"
                               "  - residual: [attention: {num_heads: 2, key_dim: 8}]\n"
                               "  - layer_norm\n"
                               "  - mean\n"
                               "  - dense: $classes\n";
    static const int32_t ids[2][5] = {{3, 4, 5, 0, 0}, {7, 8, 9, 10, 11}}, labels[] = {1, 2};
    struct mdl_batch batch = {
        .batch = 2, .inputs_length = 5, .targets_length = 1, .inputs = ids[0], .targets = labels};
    struct mdl_problem problem = layer_problem(true);
    struct mdl_hparams *hp = image_hparams("flowers_cnn", "hidden_size=16");
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct opt_optimizer *o;
    struct mdl_loss loss = {0};
    double first = 0;
    struct dev *dev;
    struct mdl *m;

    (void) state;
    assert_int_equal(mdl_layer_file_declare(text, "x.yaml", hp, &err), T2_OK);
    assert_int_equal(dev_open("cpu", 2, &dev, &err), T2_OK);
    if (mdl_new("x.yaml", dev, hp, &problem, MDL_TRAIN, &m, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(mdl_initialise(m, 1, &err), T2_OK);
    assert_int_equal(opt_new(hp, mdl_params(m), &o, &err), T2_OK);
    for (int step = 0; step < 10; step++) {
        assert_int_equal(mdl_train_step(m, &batch, 1, (uint64_t) step, &loss, &err), T2_OK);
        assert_int_equal(opt_step(o, step, 100, &report, &err), T2_OK);
        first = step == 0 ? loss.numerator : first;
    }
    assert_true(loss.numerator < 0.5 * first);
    opt_free(o);
    mdl_free(m);
    mdl_hparams_free(hp);
    dev_close(dev);
}

static void test_refusals(void **state)
{
#define FLAT "layers:\n  - flatten\n"
    static const struct {
        const char *layers;
        enum t2_status status;
        const char *message;
    } rows[] = {{FLAT "  - dense: 5\n", T2_EFORMAT, "'x.yaml': line 3: the last layer"},
                {FLAT "  - dense: 1 + $dropout * 40\n  - dense: $classes\n", T2_EFORMAT,
                 "no size may depend on them"},
                {FLAT "  - dense: 1 / $dropout\n  - dense: $classes\n", T2_EFORMAT, "divides by 0"},
                {"layers:\n  - mean\n  - reshape: [3]\n", T2_EFORMAT, "want (batch, 10)"},
                {"", T2_EUSAGE, "there is no text of layers"}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        image_layers = rows[i].layers[0] ? rows[i].layers : NULL;
        image_refused(&(struct image_case){"x.yaml", "flowers_cnn", "", 8, 3}, rows[i].status,
                      rows[i].message);
    }
    image_layers = NULL;
}

/* ---- lstm ---- */

/* A net for texts with class labels, and its logits of one text. */
static struct mdl *text_net(const char *text, struct dev *d, enum mdl_mode mode)
{
    static const struct mdl_problem labels = {.has_inputs = true,
                                              .inputs_vocab = TINY_VOCAB,
                                              .targets_vocab = TINY_VOCAB,
                                              .class_labels = true,
                                              .loss_multiplier = 1.0};
    struct mdl_hparams *hp = tiny_hparams_of("lstm_seq2seq", "");
    struct t2_err err = T2_ERR_INIT;

    if (mdl_layer_file_declare(text, "net.yaml", hp, &err) != T2_OK)
        fail_msg("%s", err.message);
    return tiny_model_of(d, "net.yaml", hp, &labels, mode);
}

static const char *const lstm_nets[] = {
    "layers:\n  - embedding: 6\n  - lstm: 5\n  - dense: $classes\n",
    "layers:\n  - embedding: 6\n  - lstm: {units: 5, return_sequences: true, go_backwards: true}\n"
    "  - lstm: {units: 4, go_backwards: true}\n  - dense: $classes\n",
};

/* Padding is no step, whichever way; every id is one. */
static void test_lstm_steps(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof lstm_nets / sizeof *lstm_nets; i++) {
        struct mdl *m = text_net(lstm_nets[i], op_device("cpu", 1), MDL_EVAL);
        int32_t inputs[] = {3, 4, 5, 0, 0}, label = 1;
        float logits[3][TINY_VOCAB];
        struct t2_err err = T2_ERR_INIT;
        struct mdl_batch b = {.batch = 1,
                              .inputs_length = 3,
                              .targets_length = 1,
                              .inputs = inputs,
                              .targets = &label};

        assert_int_equal(mdl_logits(m, &b, logits[0], &err), T2_OK);
        b.inputs_length = 5;
        assert_int_equal(mdl_logits(m, &b, logits[1], &err), T2_OK);
        t_assert_close(logits[1], logits[0], TINY_VOCAB, 1e-6, 1e-6);
        inputs[0] = 6;
        assert_int_equal(mdl_logits(m, &b, logits[2], &err), T2_OK);
        assert_memory_not_equal(logits[2], logits[1], sizeof logits[0]);
        mdl_free(m);
    }
}

/* The loss of a step, and of the same batch after all variables went against their gradients. */
static void test_lstm_learns(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof lstm_nets / sizeof *lstm_nets; i++) {
        struct mdl *m = text_net(lstm_nets[i], op_device("reference", 1), MDL_TRAIN);
        const struct gr_params *p = mdl_params(m);
        struct t2_err err = T2_ERR_INIT;
        struct tiny_batch batch;
        const struct mdl_batch *b = tiny_batch(&batch, 4, 7, 1, 3);
        struct mdl_loss loss;
        double first = 0.0;

        assert_int_equal(p->n_variables, 3 + 2 + 2 * (int) i);
        for (int step = 0; step < 2; step++) {
            float *values, *grads;

            assert_int_equal(mdl_train_step(m, b, 1, (uint64_t) step, &loss, &err), T2_OK);
            if (step == 0)
                first = loss.numerator;
            values = device_floats(p->dev, p->values, p->n_floats);
            grads = device_floats(p->dev, p->grads, p->n_floats);
            for (int64_t k = 0; k < p->n_floats; k++)
                values[k] -= 0.05f * grads[k];
            p->dev->upload_now(p->dev, p->values, values, (size_t) p->n_floats * sizeof *values);
            free(values);
            free(grads);
        }
        assert_true(loss.numerator < first);
        mdl_free(m);
    }
}

/* ---- texts that are made ---- */

static const char language_net[] =
    "layers:\n"
    "  - embedding: {output_dim: 8}\n"
    "  - lstm: {units: 6, return_sequences: true}\n"
    "  - residual: [layer_norm, {attention: {num_heads: 2, key_dim: 4, causal: true}}]\n"
    "  - dense: {units: $classes, use_bias: false, kernel_initializer: he_normal}\n"
    "loss: sequence_cross_entropy\n";

static struct mdl *language_model(const char *text, struct dev *d, enum mdl_mode mode)
{
    static const struct mdl_problem problem = {.targets_vocab = TINY_VOCAB, .loss_multiplier = 1.0};
    struct mdl_hparams *hp = tiny_hparams_of("lstm_seq2seq", "");
    struct t2_err err = T2_ERR_INIT;

    if (mdl_layer_file_declare(text, "net.yaml", hp, &err) != T2_OK)
        fail_msg("%s", err.message);
    return tiny_model_of(d, "net.yaml", hp, &problem, mode);
}

/* The logits of a position follow from the ids before it alone, and from each of them. */
static void test_language_positions(void **state)
{
    enum { LENGTH = 5 };
    struct mdl *m = language_model(language_net, op_device("cpu", 2), MDL_EVAL);
    int32_t ids[] = {3, 4, 5, 6, 7};
    float first[LENGTH * TINY_VOCAB], other[LENGTH * TINY_VOCAB];
    struct mdl_batch b = {.batch = 1, .targets_length = LENGTH, .targets = ids};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(mdl_logits(m, &b, first, &err), T2_OK);
    ids[2] = 9;
    assert_int_equal(mdl_logits(m, &b, other, &err), T2_OK);
    assert_memory_equal(first, other, 3 * TINY_VOCAB * sizeof *first);
    for (int i = 3; i < LENGTH; i++)
        assert_memory_not_equal(first + i * TINY_VOCAB, other + i * TINY_VOCAB,
                                TINY_VOCAB * sizeof *first);
    mdl_free(m);
}

static void test_language_learns(void **state)
{
    struct mdl *m = language_model(language_net, op_device("reference", 1), MDL_TRAIN);
    const struct gr_params *p = mdl_params(m);
    struct t2_err err = T2_ERR_INIT;
    struct tiny_batch batch;
    struct mdl_batch b = *tiny_batch(&batch, 4, 7, 6, 3);
    struct mdl_loss loss;
    double first = 0.0;

    (void) state;
    b.inputs = NULL;
    b.inputs_length = 0;
    for (int step = 0; step < 2; step++) {
        float *values, *grads;

        assert_int_equal(mdl_train_step(m, &b, 1, (uint64_t) step, &loss, &err), T2_OK);
        first = step == 0 ? loss.numerator : first;
        values = device_floats(p->dev, p->values, p->n_floats);
        grads = device_floats(p->dev, p->grads, p->n_floats);
        for (int64_t k = 0; k < p->n_floats; k++)
            values[k] -= 0.05f * grads[k];
        p->dev->upload_now(p->dev, p->values, values, (size_t) p->n_floats * sizeof *values);
        free(values);
        free(grads);
    }
    assert_true(loss.numerator < first);
    mdl_free(m);
}

static void test_language_refusals(void **state)
{
#define EMBEDDED "layers:\n  - embedding: 8\n"
#define END "  - dense: {units: $classes, use_bias: false}\n"
    static const struct {
        const char *text, *message;
    } rows[] = {
        {EMBEDDED "  - dense: $classes\n", "line 3: a text is made by a last layer dense: {units:"},
        {EMBEDDED "  - attention: {num_heads: 2, key_dim: 4}\n" END, "line 3: layer multi_head_"},
        {EMBEDDED "  - lstm: {units: 3, return_sequences: true, go_backwards: true}\n" END,
         "sees ids that are still to be made: go_backwards: false"},
        {EMBEDDED "  - batch_norm\n" END, "layer_norm"},
        {EMBEDDED "  - mean\n" END, "a text is made by"},
        {EMBEDDED END "loss: mse\n", "no loss 'mse' for texts that are made; there is sequence_"},
    };
    static const struct mdl_problem problem = {.targets_vocab = TINY_VOCAB, .loss_multiplier = 1.0};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mdl_hparams *hp = tiny_hparams_of("lstm_seq2seq", "");
        struct mdl_layer_net *net;
        struct t2_err err = T2_ERR_INIT;

        assert_int_not_equal(mdl_layer_net_new(rows[i].text, "x.yaml", hp, &problem, &net, &err),
                             T2_OK);
        t_assert_contains(err.message, rows[i].message);
        mdl_hparams_free(hp);
    }
}

T_MAIN(cmocka_unit_test(test_flowers), cmocka_unit_test(test_resnet),
       cmocka_unit_test(test_all_layers), cmocka_unit_test(test_text),
       cmocka_unit_test(test_refusals), cmocka_unit_test(test_lstm_steps),
       cmocka_unit_test(test_lstm_learns), cmocka_unit_test(test_language_positions),
       cmocka_unit_test(test_language_learns), cmocka_unit_test(test_language_refusals))
