/* Tests of train/models/slice_net.c: sizes, runs, decoding from prefixes of texts and of images,
 * refusals; values are compared with the original's in tests/oracle/test_recorded_slice_net.c. */
#include <math.h>

#include "base/alloc.h"
#include "tests/support/device_floats.h"
#include "tests/unit/train/tiny_model.h"
#include "train/optim/optimizer.h"

enum { ROWS = 6, INPUTS = 7, LENGTH = 20, SIDE = 4, VALUES = SIDE * SIDE * 3 };

static const char small[] = "hidden_size=36,num_heads=2,num_hidden_layers=1,weight_decay=0,"
                            "learning_rate=2,learning_rate_warmup_steps=1";

static const struct mdl_problem of_images = {.has_inputs = true,
                                             .inputs_vocab = 256,
                                             .targets_vocab = TINY_VOCAB,
                                             .target_space_id = 3,
                                             .loss_multiplier = 1.0,
                                             .image = {SIDE, SIDE, 3},
                                             .describes = true};

static struct mdl *model(struct dev *d, const char *overrides, const struct mdl_problem *problem,
                         enum mdl_mode mode)
{
    struct mdl_hparams *hp = tiny_hparams_of("slicenet_1", small);
    struct t2_err err = T2_ERR_INIT;

    if (mdl_hparams_override(hp, overrides, &err) != T2_OK)
        fail_msg("%s", err.message);
    return tiny_model_of(d, "slice_net", hp, problem, mode);
}

/* The set's, of captions of 256 values and 8 classes of ids: kernels, normalisations, attention. */
static void test_sizes(void **state)
{
    int64_t d = 768, layer = 0, time = 2 * 5 * d + d * d / 3 + d * d / 2, attention = 8 * d * d;
    static const int64_t taps[] = {3, 7, 15, 31}, parts[] = {3, 2, 3, 2};
    int64_t merge = 3 * 2 * d * d / 4 + d * d + d;
    struct mdl_problem problem = of_images;
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp;
    struct mdl *m = NULL;

    (void) state;
    for (int i = 0; i < 4; i++)
        layer += taps[i] * d + d * d / parts[i];
    layer += 4 * 2 * d;            /* normalisations */
    attention += time + 2 * 2 * d; /* of one place */
    problem.image = (struct mdl_image){299, 299, 3};
    assert_int_equal(mdl_hparams_new("slicenet_1", &hp, &err), T2_OK);
    assert_int_equal(mdl_new("slice_net", op_device("reference", 1), hp, &problem, MDL_EVAL, &m,
                             &err),
                     T2_OK);
    assert_int_equal(gr_params_count(mdl_params(m)), 9 * 3 * d + 2 * d + 10 * layer +
                                                         5 * attention + merge + 2 * d + 32 * d +
                                                         2 * TINY_VOCAB * d);
    mdl_free(m);
    mdl_hparams_free(hp);
}

/* Images, ids, as a batch of texts of images. */
struct shown {
    struct mdl_batch b;
    float images[ROWS * VALUES];
    int32_t targets[ROWS * LENGTH];
};

static const struct mdl_batch *show(struct shown *s, int32_t rows, int32_t length, uint64_t seed)
{
    for (int i = 0; i < rows * VALUES; i++)
        s->images[i] = (float) (t_hash64(seed * 977 + (uint64_t) i) % 1000) / 500.0F - 1.0F;
    tiny_ids(s->targets, rows, length, seed);
    s->b = (struct mdl_batch){.batch = rows,
                              .inputs_length = SIDE * SIDE,
                              .targets_length = length,
                              .targets = s->targets,
                              .height = SIDE,
                              .width = SIDE,
                              .channels = 3,
                              .images = s->images};
    return &s->b;
}

enum { STEPS = 10 };

/* Steps with all dropouts; the values of all variables, owned by the caller. */
static float *train(const struct mdl_problem *problem, int threads, bool remat,
                    double losses[STEPS])
{
    struct dev *d = op_device("cpu", threads);
    struct mdl *m = model(d, "dropout=0.1,attention_dropout=0.1", problem, MDL_TRAIN);
    struct opt_optimizer *o = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct tiny_batch batch;
    struct opt_report report;
    struct shown shown;
    struct mdl_loss loss;
    float *values;

    mdl_set_remat(m, remat);
    if (opt_new(mdl_hparams_of(m), mdl_params(m), &o, &err) != T2_OK)
        fail_msg("%s", err.message);
    for (int step = 0; step < STEPS; step++) {
        const struct mdl_batch *b = problem->describes
                                        ? show(&shown, 3, 9 + 4 * (step == 1), 3)
                                        : tiny_batch(&batch, 5, 9, 11 + 6 * (step == 1), 3);

        if (mdl_train_step(m, b, 7, (uint64_t) step, &loss, &err) != T2_OK ||
            opt_step(o, step, 100, &report, &err) != T2_OK)
            fail_msg("%s", err.message);
        losses[step] = loss.numerator / loss.denominator;
    }
    values = device_floats(d, mdl_params(m)->values, mdl_params(m)->n_floats);
    opt_free(o);
    mdl_free(m);
    return values;
}

static void check_runs(const struct mdl_problem *problem)
{
    double losses[3][STEPS];
    float *values[3];
    struct mdl *m = model(op_device("reference", 1), "", problem, MDL_EVAL);
    size_t bytes = (size_t) mdl_params(m)->n_floats * sizeof(float);

    for (int i = 0; i < 3; i++)
        values[i] = train(problem, 1 + (i > 0), i == 2, losses[i]);
    for (int i = 1; i < 3; i++) {
        assert_memory_equal(losses[0], losses[i], sizeof losses[0]);
        assert_memory_equal(values[0], values[i], bytes);
    }
    assert_true(losses[0][STEPS - 1] < losses[0][0]);
    for (int i = 0; i < 3; i++)
        free(values[i]);
    mdl_free(m);
}

static void test_runs(void **state)
{
    (void) state;
    check_runs(&tiny_translation);
    check_runs(&of_images);
}

/* What comes later is not seen; the image, and the space of the targets, are. */
static void test_what_is_seen(void **state)
{
    struct mdl *m = model(op_device("cpu", 1), "", &of_images, MDL_EVAL);
    struct mdl_problem elsewhere = of_images;
    float one[12 * TINY_VOCAB], two[12 * TINY_VOCAB];
    const size_t row = TINY_VOCAB * sizeof(float);
    struct t2_err err = T2_ERR_INIT;
    struct shown s;
    struct mdl_batch b = *show(&s, 1, 12, 3);
    struct mdl *other;

    (void) state;
    assert_int_equal(mdl_logits(m, &b, one, &err), T2_OK);
    s.targets[8] = 1 + s.targets[8] % (TINY_VOCAB - 1);
    assert_int_equal(mdl_logits(m, &b, two, &err), T2_OK);
    assert_memory_equal(one, two, 9 * row);
    assert_memory_not_equal(one + 9 * TINY_VOCAB, two + 9 * TINY_VOCAB, row);
    s.images[VALUES - 1] += 1.0F;
    assert_int_equal(mdl_logits(m, &b, two, &err), T2_OK);
    assert_memory_not_equal(one, two, row);
    s.images[VALUES - 1] -= 1.0F;
    elsewhere.target_space_id = 9;
    other = model(op_device("cpu", 1), "", &elsewhere, MDL_EVAL);
    assert_int_equal(mdl_logits(other, &b, two, &err), T2_OK);
    assert_memory_not_equal(one, two, row);
    mdl_free(other);
    mdl_free(m);
}

/* What the steps of a search gave against the logits of the whole batch. */
static void check_search(struct mdl *m, const struct mdl_search_shape *shape,
                         const int32_t *sources, const struct mdl_batch *rows, double tolerance)
{
    int32_t ids[ROWS], from[ROWS], history[ROWS][LENGTH] = {{0}}, before[ROWS][LENGTH];
    int32_t targets[ROWS * LENGTH];
    struct t2_err err = T2_ERR_INIT;
    struct mdl_decoder *d = NULL;
    uint64_t arena_bytes;
    const float *logits;

    assert_int_equal(mdl_decoder_new(m, NULL, &d, &err), T2_OK);
    if (!sources)
        mdl_decoder_hear(d, rows->images);
    assert_int_equal(mdl_decoder_begin(d, shape, sources, &err), T2_OK);
    assert_int_equal(mdl_decoder_vocab(d), TINY_VOCAB);
    arena_bytes = m->arena_bytes;
    for (int32_t step = 0; step < LENGTH; step++) {
        static float all[ROWS * TINY_VOCAB], whole[ROWS * LENGTH * TINY_VOCAB];
        struct mdl_batch b = *rows;

        assert_int_equal(mdl_decoder_step(d, step, ids, &logits, &err), T2_OK);
        memcpy(all, logits, sizeof all);
        for (int r = 0; r < ROWS; r++)
            memcpy(targets + r * (step + 1), history[r], (size_t) (step + 1) * sizeof *targets);
        b.targets = targets;
        b.targets_length = step + 1;
        if (step % 5 == 3 || step == LENGTH - 1) {
            assert_int_equal(mdl_logits(m, &b, whole, &err), T2_OK);
            for (int r = 0; r < ROWS; r++)
                t_assert_close(all + r * TINY_VOCAB, whole + (r * (step + 1) + step) * TINY_VOCAB,
                               TINY_VOCAB, tolerance, 0);
        }
        memcpy(before, history, sizeof before);
        for (int r = 0; r < ROWS; r++) {
            from[r] = step % 3 == 0 ? r / 2 * 2 + (r + step) % 2 : r;
            memcpy(history[r], before[from[r]], sizeof before[0]);
        }
        assert_int_equal(mdl_decoder_reorder(d, from, &err), T2_OK);
        for (int r = 0; r < ROWS; r++)
            ids[r] = history[r][step] = 1 + (int32_t) (t_hash64((uint64_t) (step * ROWS + r)) % 20);
    }
    assert_int_equal(m->arena_bytes, arena_bytes); /* it did not grow on the way */
    mdl_decoder_free(d);
}

/* Beams of two over three sources, past a round length, reordered on the way. */
static void test_decoding_of_texts(void **state)
{
    struct mdl *m = model(op_device("cpu", 2), "", &tiny_translation, MDL_EVAL);
    int32_t sources[ROWS / 2 * INPUTS], inputs[ROWS * INPUTS];
    const struct mdl_search_shape shape = {ROWS / 2, 2, INPUTS, LENGTH, 0, 0};
    struct mdl_batch rows = {.batch = ROWS, .inputs_length = INPUTS, .inputs = inputs};

    (void) state;
    tiny_ids(sources, ROWS / 2, INPUTS, 5);
    for (int r = 0; r < ROWS; r++)
        memcpy(inputs + r * INPUTS, sources + r / 2 * INPUTS, INPUTS * sizeof *inputs);
    check_search(m, &shape, sources, &rows, 1e-5);
    mdl_free(m);
}

static void test_decoding_of_images(void **state)
{
    struct mdl *m = model(op_device("cpu", 2), "", &of_images, MDL_EVAL);
    const struct mdl_search_shape shape = {ROWS / 2, 2, SIDE, LENGTH, 0, 0};
    static float twice[ROWS * VALUES];
    struct mdl_batch rows;
    struct shown s;
    struct mdl_decoder *d = NULL;
    struct t2_err err = T2_ERR_INIT;
    const float *logits;
    float first[TINY_VOCAB];

    (void) state;
    rows = *show(&s, ROWS, 1, 5);
    for (size_t r = 0; r < ROWS; r++)
        memcpy(twice + r * VALUES, s.images + r / 2 * VALUES, VALUES * sizeof *twice);
    assert_int_equal(mdl_decoder_new(m, NULL, &d, &err), T2_OK);
    mdl_decoder_hear(d, s.images);
    assert_int_equal(mdl_decoder_begin(d, &shape, NULL, &err), T2_OK);
    assert_int_equal(mdl_decoder_step(d, 0, NULL, &logits, &err), T2_OK);
    memcpy(first, logits + 2 * TINY_VOCAB, sizeof first);
    mdl_decoder_free(d);
    rows.images = twice;
    {
        float *all = t2_alloc(ROWS * TINY_VOCAB, sizeof *all);

        rows.targets_length = 1;
        assert_int_equal(mdl_logits(m, &rows, all, &err), T2_OK);
        t_assert_close(first, all + 2 * TINY_VOCAB, TINY_VOCAB, 1e-5, 0.0);
        t2_free(all);
    }
    mdl_free(m);
}

/* While decoding a text has the same logits alone and beside longer ones; in training it has not,
 * as in the original. */
static void test_padding(void **state)
{
    struct mdl *m = model(op_device("cpu", 1), "", &tiny_translation, MDL_EVAL);
    int32_t inputs[2 * INPUTS] = {5, 6, 1, 0, 0, 0, 0, 7, 8, 9, 3, 4, 2, 1}, ids[4] = {0};
    const struct mdl_search_shape both = {2, 1, INPUTS, 4, 0, 0}, one = {1, 1, 3, 4, 0, 0};
    float alone[TINY_VOCAB], beside[2 * 1 * TINY_VOCAB], target[TINY_VOCAB];
    struct mdl_batch b = {
        .batch = 1, .inputs_length = 3, .targets_length = 1, .inputs = inputs, .targets = ids};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_decoder *d = NULL;
    const float *logits;
    float difference = 0.0F;

    (void) state;
    assert_int_equal(mdl_logits(m, &b, target, &err), T2_OK);
    b.batch = 2;
    b.inputs_length = INPUTS;
    assert_int_equal(mdl_logits(m, &b, beside, &err), T2_OK);
    for (int i = 0; i < TINY_VOCAB; i++)
        difference = fmaxf(difference, fabsf(target[i] - beside[i]));
    assert_true(difference > 1e-4F);
    assert_int_equal(mdl_decoder_new(m, NULL, &d, &err), T2_OK);
    assert_int_equal(mdl_decoder_begin(d, &one, inputs, &err), T2_OK);
    assert_int_equal(mdl_decoder_step(d, 0, NULL, &logits, &err), T2_OK);
    memcpy(alone, logits, sizeof alone);
    t_assert_close(alone, target, TINY_VOCAB, 1e-5, 0);
    assert_int_equal(mdl_decoder_begin(d, &both, inputs, &err), T2_OK);
    assert_int_equal(mdl_decoder_step(d, 0, NULL, &logits, &err), T2_OK);
    t_assert_close(logits, alone, TINY_VOCAB, 1e-5, 0);
    mdl_decoder_free(d);
    mdl_free(m);
}

static void refused(const char *set, const char *overrides, const struct mdl_problem *problem,
                    enum t2_status status, const char *text)
{
    struct mdl_hparams *hp = tiny_hparams_of(set, overrides);

    tiny_refused("slice_net", hp, problem, status, text);
    mdl_hparams_free(hp);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *overrides, *text;
    } rows[] = {{"kernel_width=3", "kernel_width=3 must lie between 1 and 1"},
                {"kernel_height=4", "kernel_height=4 must be odd"},
                {"large_kernel_size=8", "large_kernel_size=8 must be odd"},
                {"hidden_size=16", "hidden_size=16 must lie between 32"},
                {"hidden_size=64", "hidden_size=64 cannot be cut into 3 equal parts"},
                {"hidden_size=42", "hidden_size=42 is not a multiple of num_heads=8"},
                {"hidden_size=42,num_heads=2", "hidden_size=42 cannot be cut into 4 equal parts"},
                {"separability=-9", "separability=-9 must lie"},
                {"num_hidden_layers=0", "num_hidden_layers=0 must lie"}};
    struct mdl_problem classes = {.targets_vocab = 4, .class_labels = true, .image = {8, 8, 3}};
    struct mdl *m = model(op_device("reference", 1), "", &tiny_translation, MDL_EVAL);
    struct t2_err err = T2_ERR_INIT;
    struct tiny_batch batch;
    struct mdl_batch b = *tiny_batch(&batch, 2, 5, 6, 1);
    struct mdl_loss loss;
    int32_t zeros[12] = {0};
    struct mdl_hparams *hp;

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused("slicenet_1", rows[i].overrides, &tiny_translation, T2_EUSAGE, rows[i].text);
    refused("transformer_tiny", "", &tiny_translation, T2_EUSAGE, "--hparams_set=slicenet_1");
    refused("slicenet_1", "", &tiny_language, T2_EUNSUPPORTED, "images or texts as inputs");
    refused("slicenet_1", "norm_type=batch", &classes, T2_EUNSUPPORTED, "norm_type=batch");
    refused("slicenet_1", "attention_type=none", &of_images, T2_EUNSUPPORTED,
            "attention_type=none is not supported");
    refused("slicenet_1", "prepend_mode=prepend_inputs_full_attention", &tiny_translation,
            T2_EUNSUPPORTED, "prepend_mode");
    hp = tiny_hparams("");
    tiny_refused("transformer", hp, &of_images, T2_EUNSUPPORTED,
                 "model 'transformer' does not describe images");
    mdl_hparams_free(hp);
    b.inputs_segmentation = b.inputs_position = zeros;
    b.targets_segmentation = b.targets_position = zeros;
    assert_int_equal(mdl_evaluate(m, &b, &loss, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "not packed data");
    mdl_free(m);
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs),
       cmocka_unit_test(test_what_is_seen), cmocka_unit_test(test_decoding_of_texts),
       cmocka_unit_test(test_decoding_of_images), cmocka_unit_test(test_padding),
       cmocka_unit_test(test_refusals))
