/*
 * tests/unit/train/test_model.c - a model on a device: refusals, memory, shapes, determinism.
 */
#include "train/models/model.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/device_floats.h"
#include "tests/unit/train/tiny_model.h"
#include "train/graph/profile.h"

static struct tiny_batch batch;

/* ---- refusals ---- */

static void check_refused(const char *name, const struct mdl_problem *problem,
                          enum t2_status status, const char *part)
{
    struct mdl_hparams *hp = tiny_hparams("");
    struct t2_err err = T2_ERR_INIT;
    struct mdl *m = NULL;

    assert_int_equal(mdl_new(name, op_device("cpu", 1), hp, problem, MDL_TRAIN, &m, &err), status);
    assert_null(m);
    t_assert_contains(err.message, part);
    mdl_hparams_free(hp);
}

static void test_refusals(void **state)
{
    struct mdl_problem p = tiny_translation;

    (void) state;
    check_refused("neural_gpu", &p, T2_EUSAGE,
                  "unknown model 'neural_gpu'; known: attention_lm, attention_lm_moe, ");
    check_refused("resnet", &p, T2_EUNSUPPORTED, "needs a problem of images");
    p.targets_vocab = 1;
    check_refused("transformer", &p, T2_EUSAGE, "vocabulary must have at least 2 entries");
    p = tiny_translation;
    p.inputs_vocab = 1;
    check_refused("transformer", &p, T2_EUSAGE, "vocabulary must have at least 2 entries");
    mdl_free(NULL);
}

static void test_impossible_batches(void **state)
{
    struct mdl *m = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_TRAIN);
    struct mdl_batch b = *tiny_batch(&batch, 2, 3, 4, 1), bad;
    float logits[2 * 4 * TINY_VOCAB];
    struct mdl_loss loss;

    (void) state;
    for (int i = 0; i < 5; i++) {
        enum t2_status expected = T2_EFORMAT;
        const char *part = i < 3 ? "nothing in it" : "packed";
        struct t2_err err = T2_ERR_INIT;

        bad = b;
        bad.batch = i == 0 ? 0 : 2;
        bad.inputs_length = i == 1 ? 0 : 3;
        bad.targets_length = i == 2 ? 0 : 4;
        bad.targets_segmentation = i == 3 ? b.targets : NULL;
        bad.inputs_segmentation = i == 4 ? b.inputs : NULL;
        assert_int_equal(mdl_train_step(m, &bad, 1, 0, &loss, &err), expected);
        t_assert_contains(err.message, part);
        assert_int_equal(mdl_evaluate(m, &bad, &loss, &err), expected);
        assert_int_equal(mdl_logits(m, &bad, logits, &err), expected);
    }
    mdl_free(m);
}

static void test_what_it_was_made_of(void **state)
{
    struct mdl *m =
        tiny_model(op_device("cpu", 1), "hidden_size=24,num_heads=3", &tiny_translation, MDL_TRAIN);

    (void) state;
    assert_int_equal(mdl_hp_int(mdl_hparams_of(m), "hidden_size"), 24);
    assert_int_equal(mdl_problem_of(m)->targets_vocab, TINY_VOCAB);
    assert_true(gr_params_count(mdl_params(m)) > 0);
    mdl_free(m);
}

/* ---- determinism ---- */

/* Big enough for several tiles and chunks. */
static const char wide[] =
    "hidden_size=64,filter_size=128,num_heads=4,layer_prepostprocess_dropout=0.2,"
    "attention_dropout=0.2,relu_dropout=0.2";

/* To be freed. */
static float *gradients_of(struct mdl *m)
{
    const struct gr_params *p = mdl_params(m);

    return device_floats(p->dev, p->grads, p->n_floats);
}

/* Gradients of one step, malloc'd. */
static float *gradients(const char *device, int num_threads, uint64_t seed, uint64_t step,
                        struct mdl_loss *loss, size_t *bytes)
{
    struct mdl *m = tiny_model(op_device(device, num_threads), wide, &tiny_translation, MDL_TRAIN);
    struct t2_err err = T2_ERR_INIT;
    float *g;

    assert_int_equal(mdl_train_step(m, tiny_batch(&batch, 17, 35, 41, 5), seed, step, loss, &err),
                     T2_OK);
    *bytes = (size_t) mdl_params(m)->n_floats * sizeof *g;
    g = gradients_of(m);
    mdl_free(m);
    return g;
}

static void test_threads_give_the_same_bits(void **state)
{
    struct mdl_loss loss, other;
    size_t bytes;
    float *one = gradients("cpu", 1, 7, 3, &loss, &bytes);

    (void) state;
    for (int threads = 1; threads <= 3; threads++) {
        float *g = gradients("cpu", threads, 7, 3, &other, &bytes);

        assert_memory_equal(one, g, bytes);
        assert_memory_equal(&loss, &other, sizeof loss);
        free(g);
    }
    free(one);
}

/* Computed again or kept: the same gradients to the bit, in less memory. */
static void test_remat_gives_the_same_bits(void **state)
{
    struct mdl_batch b = *tiny_batch(&batch, 6, 19, 23, 1);
    struct mdl_shape shape = {.batch = 6, .inputs_length = 19, .targets_length = 23};
    float *grads[2];
    uint64_t bytes[2];
    struct mdl_loss loss[2];
    size_t n = 0;

    (void) state;
    for (int remat = 0; remat < 2; remat++) {
        struct mdl *m = tiny_model(op_device("cpu", 2),
                                   "num_hidden_layers=4,attention_dropout=0.2,"
                                   "relu_dropout=0.2,layer_prepostprocess_dropout=0.2",
                                   &tiny_translation, MDL_TRAIN);
        struct t2_err err = T2_ERR_INIT;

        mdl_set_remat(m, remat);
        assert_int_equal(mdl_plan(m, &shape, 1, &bytes[remat], &err), T2_OK);
        assert_int_equal(mdl_train_step(m, &b, 7, 3, &loss[remat], &err), T2_OK);
        n = (size_t) mdl_params(m)->n_floats;
        grads[remat] = gradients_of(m);
        mdl_free(m);
    }
    assert_memory_equal(grads[0], grads[1], n * sizeof(float));
    assert_memory_equal(&loss[0], &loss[1], sizeof loss[0]);
    assert_true(bytes[1] < bytes[0] / 2);
    free(grads[0]);
    free(grads[1]);
}

static void test_seed_and_step_name_the_masks(void **state)
{
    struct mdl_loss loss, other;
    size_t bytes;
    float *one = gradients("cpu", 2, 7, 3, &loss, &bytes), *g;

    (void) state;
    g = gradients("cpu", 2, 8, 3, &other, &bytes);
    assert_memory_not_equal(one, g, bytes);
    assert_true(loss.numerator != other.numerator);
    free(g);
    g = gradients("cpu", 2, 7, 4, &other, &bytes);
    assert_memory_not_equal(one, g, bytes);
    free(g);
    free(one);
}

/* The fast device goes where the reference loops go. */
static void test_plain_has_the_same_gradients(void **state)
{
    static const char small[] = "attention_dropout=0.1";
    float *grads[2] = {NULL};
    struct mdl_loss loss[2];
    size_t n = 0;

    (void) state;
    for (int i = 0; i < 2; i++) {
        struct mdl *m =
            tiny_model(op_device(i ? "cpu" : "reference", 1), small, &tiny_translation, MDL_TRAIN);
        struct t2_err err = T2_ERR_INIT;

        assert_int_equal(mdl_train_step(m, tiny_batch(&batch, 3, 7, 6, 2), 1, 2, &loss[i], &err),
                         T2_OK);
        n = (size_t) mdl_params(m)->n_floats;
        grads[i] = gradients_of(m);
        mdl_free(m);
    }
    assert_true(fabs(loss[0].numerator / loss[1].numerator - 1.0) < 1e-6);
    assert_true(loss[0].denominator == loss[1].denominator);
    t_assert_same_direction(grads[1], grads[0], n, 1e-6);
    free(grads[0]);
    free(grads[1]);
}

/* ---- loss ---- */

/* Without dropout and smoothing the losses of training and evaluation are the same number; logits
 * give it too.  Labels that are 0 do not count. */
static void test_loss_is_what_the_logits_say(void **state)
{
    struct mdl *m = tiny_model(op_device("cpu", 2),
                               "layer_prepostprocess_dropout=0,attention_dropout=0,relu_dropout=0,"
                               "label_smoothing=0",
                               &tiny_translation, MDL_TRAIN);
    const struct mdl_batch *b = tiny_batch(&batch, 4, 5, 6, 9);
    static float logits[4 * 6 * TINY_VOCAB];
    struct mdl_loss train, eval;
    struct t2_err err = T2_ERR_INIT;
    double sum = 0.0, n = 0.0, right = 0.0, sequences = 0.0, top5 = 0.0;

    (void) state;
    assert_int_equal(mdl_train_step(m, b, 1, 0, &train, &err), T2_OK);
    assert_int_equal(mdl_evaluate(m, b, &eval, &err), T2_OK);
    assert_int_equal(mdl_logits(m, b, logits, &err), T2_OK);
    for (int s = 0; s < 4; s++) {
        bool all = true;

        for (int l = 0; l < 6; l++) {
            const float *x = logits + (s * 6 + l) * TINY_VOCAB;
            int label = b->targets[s * 6 + l], best = 0, ahead = 0;
            double total = 0.0;

            if (label == 0)
                continue;
            for (int v = 0; v < TINY_VOCAB; v++) {
                total += exp((double) x[v]);
                best = x[v] > x[best] ? v : best;
            }
            sum += log(total) - (double) x[label];
            n += 1.0;
            right += best == label;
            for (int v = 0; v < TINY_VOCAB; v++)
                ahead += x[v] > x[label];
            top5 += ahead < 5;
            all &= best == label;
        }
        sequences += all;
    }
    assert_true(fabs(train.numerator - sum) < 1e-5 * sum &&
                fabs(eval.numerator - sum) < 1e-5 * sum);
    assert_true(fabs(eval.log_prob + sum) < 1e-5 * sum);
    assert_true(train.denominator == n && eval.denominator == n);
    assert_true(eval.n_top5 == top5 && train.n_top5 == top5 && top5 > right);
    assert_true(eval.n_correct == right && eval.n_sequences_correct == sequences);
    mdl_free(m);
}

/* The loss multiplier multiplies loss and gradients. */
static void test_loss_multiplier(void **state)
{
    struct mdl_problem p = tiny_language;
    struct mdl_loss loss[2];
    float norm[2] = {0};

    (void) state;
    for (int i = 0; i < 2; i++) {
        struct mdl *m;
        struct t2_err err = T2_ERR_INIT;
        float *grads;

        p.loss_multiplier = i ? 2.0 : 1.0;
        m = tiny_model(op_device("cpu", 1), "", &p, MDL_TRAIN);
        assert_int_equal(mdl_train_step(m, tiny_batch(&batch, 2, 0, 5, 1), 1, 0, &loss[i], &err),
                         T2_OK);
        grads = gradients_of(m);
        for (int64_t j = 0; j < mdl_params(m)->n_floats; j++)
            norm[i] += grads[j] * grads[j];
        free(grads);
        mdl_free(m);
    }
    assert_true(loss[1].numerator == 2.0 * loss[0].numerator);
    assert_true(fabs((double) (norm[1] / norm[0]) - 4.0) < 1e-4);
}

/* A batch without a target that counts: loss 0, gradients 0, nothing divided by 0. */
static void test_no_targets(void **state)
{
    struct mdl *m = tiny_model(op_device("cpu", 2), "", &tiny_translation, MDL_TRAIN);
    struct mdl_loss loss;
    struct t2_err err = T2_ERR_INIT;
    float *grads;

    (void) state;
    (void) tiny_batch(&batch, 2, 3, 4, 1);
    memset(batch.targets, 0, 8 * sizeof batch.targets[0]);
    assert_int_equal(mdl_train_step(m, &batch.b, 1, 0, &loss, &err), T2_OK);
    assert_true(loss.numerator == 0.0 && loss.denominator == 0.0);
    grads = gradients_of(m);
    for (int64_t i = 0; i < mdl_params(m)->n_floats; i++)
        assert_true(grads[i] == 0.0f);
    free(grads);
    mdl_free(m);
}

/* Sources of nothing but padding: every key is masked, and all stays finite. */
static void test_empty_source(void **state)
{
    struct mdl *m = tiny_model(op_device("cpu", 2), "", &tiny_translation, MDL_TRAIN);
    struct mdl_loss loss;
    struct t2_err err = T2_ERR_INIT;
    float *grads;

    (void) state;
    (void) tiny_batch(&batch, 2, 3, 4, 1);
    memset(batch.inputs, 0, 6 * sizeof batch.inputs[0]);
    assert_int_equal(mdl_train_step(m, &batch.b, 1, 0, &loss, &err), T2_OK);
    assert_true(isfinite(loss.numerator));
    grads = gradients_of(m);
    for (int64_t i = 0; i < mdl_params(m)->n_floats; i++)
        assert_true(isfinite((double) grads[i]));
    free(grads);
    mdl_free(m);
}

/* ---- shapes and memory ---- */

/* The loss does not depend on how much padding there is. */
static void test_padding_changes_nothing(void **state)
{
    struct mdl *m = tiny_model(op_device("cpu", 2), "", &tiny_translation, MDL_EVAL);
    struct tiny_batch *wider = calloc(1, sizeof *wider);
    struct mdl_loss a, b;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_non_null(wider);
    (void) tiny_batch(&batch, 3, 5, 6, 4);
    wider->b = (struct mdl_batch){.batch = 4,
                                  .inputs_length = 21,
                                  .targets_length = 19,
                                  .inputs = wider->inputs,
                                  .targets = wider->targets};
    for (int s = 0; s < 3; s++) {
        memcpy(wider->inputs + (ptrdiff_t) s * 21, batch.inputs + (ptrdiff_t) s * 5,
               5 * sizeof(int32_t));
        memcpy(wider->targets + (ptrdiff_t) s * 19, batch.targets + (ptrdiff_t) s * 6,
               6 * sizeof(int32_t));
    }
    assert_int_equal(mdl_evaluate(m, &batch.b, &a, &err), T2_OK);
    assert_int_equal(mdl_evaluate(m, &wider->b, &b, &err), T2_OK);
    assert_true(fabs(a.numerator - b.numerator) < 1e-5 * a.numerator);
    assert_true(a.denominator == b.denominator && a.n_correct == b.n_correct);
    free(wider);
    mdl_free(m);
}

/* Without position_features they are 0, 1, 2, ..., as those of timing. */
static void test_positions_from_no_features(void **state)
{
    static const char *const pos[] = {"pos=timing", "pos=timing_from_features", "pos=none"};
    struct mdl_loss loss[3];

    (void) state;
    for (int i = 0; i < 3; i++) {
        struct mdl *m = tiny_model(op_device("cpu", 2), pos[i], &tiny_translation, MDL_EVAL);
        struct t2_err err = T2_ERR_INIT;

        assert_int_equal(mdl_evaluate(m, tiny_batch(&batch, 2, 5, 4, 1), &loss[i], &err), T2_OK);
        mdl_free(m);
    }
    assert_true(loss[0].numerator == loss[1].numerator);
    assert_true(loss[0].numerator != loss[2].numerator);
}

static void test_tiniest_shapes(void **state)
{
    static const char *const overrides[] = {
        "", "hidden_size=1,filter_size=1,num_heads=1,num_hidden_layers=1",
        "hidden_size=3,filter_size=1,num_heads=3,num_hidden_layers=1,pos=emb,max_length=2",
        "layer_preprocess_sequence=none,layer_postprocess_sequence=dan,pos=none",
        "attention_key_channels=6,attention_value_channels=10"};

    (void) state;
    for (size_t i = 0; i < sizeof overrides / sizeof *overrides; i++)
        for (int has_inputs = 0; has_inputs < 2; has_inputs++) {
            struct mdl *m = tiny_model(op_device("cpu", 2), overrides[i],
                                       has_inputs ? &tiny_translation : &tiny_language, MDL_TRAIN);

            for (int32_t n = 1; n <= 3; n++) {
                const struct mdl_batch *b = tiny_batch(&batch, 1, has_inputs ? n : 0, 4 - n, 1);
                struct mdl_loss loss;
                struct t2_err err = T2_ERR_INIT;

                assert_int_equal(mdl_train_step(m, b, 1, 0, &loss, &err), T2_OK);
                assert_true(isfinite(loss.numerator) && loss.denominator == 4 - n);
            }
            mdl_free(m);
        }
}

/* Shapes come in any order and the arena grows; the numbers do not change. */
static void test_growing_arena(void **state)
{
    static const int32_t sizes[] = {1, 9, 4, 40, 2, 300, 9, 1};
    struct mdl *m = tiny_model(op_device("cpu", 2), "", &tiny_translation, MDL_EVAL);
    size_t largest = 0;

    (void) state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct mdl *fresh = tiny_model(op_device("cpu", 2), "", &tiny_translation, MDL_EVAL);
        const struct mdl_batch *b = tiny_batch(&batch, 2, sizes[i], sizes[i] + 1, i);
        struct mdl_loss loss, expected;
        struct t2_err err = T2_ERR_INIT;

        assert_int_equal(mdl_evaluate(m, b, &loss, &err), T2_OK);
        assert_int_equal(mdl_evaluate(fresh, b, &expected, &err), T2_OK);
        assert_memory_equal(&loss, &expected, sizeof loss);
        assert_true(m->arena_bytes >= largest);
        largest = m->arena_bytes;
        mdl_free(fresh);
    }
    mdl_free(m);
}

/* A longer position table is another one: graphs that know the first keep it. */
static void test_longer_positions(void **state)
{
    static const struct mdl_shape roomy = {.batch = 30,
                                           .inputs_length = 100,
                                           .targets_length = 100};
    struct mdl *m = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_EVAL);
    struct mdl_loss before, between, after;
    struct t2_err err = T2_ERR_INIT;
    const void *arena;

    (void) state;
    assert_int_equal(mdl_plan(m, &roomy, 1, NULL, &err), T2_OK);
    arena = m->arena;
    assert_int_equal(mdl_evaluate(m, tiny_batch(&batch, 2, 9, 9, 1), &before, &err), T2_OK);
    assert_int_equal(mdl_evaluate(m, tiny_batch(&batch, 1, 300, 3, 1), &between, &err), T2_OK);
    assert_ptr_equal(m->arena, arena);
    assert_int_equal(m->positions.n_tables, 2);
    assert_int_equal(m->n_graphs, 2);
    assert_int_equal(mdl_evaluate(m, tiny_batch(&batch, 2, 9, 9, 1), &after, &err), T2_OK);
    assert_memory_equal(&before, &after, sizeof before);
    mdl_free(m);
}

/* What is planned for is enough: afterwards neither arena nor position table move. */
static void test_plan_is_enough(void **state)
{
    static const struct mdl_shape shapes[] = {
        {.batch = 8, .inputs_length = 10, .targets_length = 12},
        {.batch = 2, .inputs_length = 40, .targets_length = 30},
        {.batch = 1, .inputs_length = 3, .targets_length = 3}};
    struct mdl *m = tiny_model(op_device("cpu", 2), "", &tiny_translation, MDL_TRAIN);
    const void *arena;
    uint64_t bytes = 0;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(mdl_plan(m, shapes, 3, &bytes, &err), T2_OK);
    arena = m->arena;
    assert_true(bytes > 0 && m->arena_bytes == bytes);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < 3; i++) {
            const struct mdl_shape *s = &shapes[i];
            const struct mdl_batch *b =
                tiny_batch(&batch, s->batch, s->inputs_length, s->targets_length, i);
            struct mdl_loss loss;

            assert_int_equal(mdl_train_step(m, b, 1, i, &loss, &err), T2_OK);
            assert_int_equal(mdl_evaluate(m, b, &loss, &err), T2_OK);
            assert_ptr_equal(m->arena, arena);
            assert_int_equal(m->arena_bytes, bytes);
        }
    assert_int_equal(mdl_plan(m, shapes, 3, NULL, &err), T2_OK);
    assert_int_equal(mdl_plan(m, NULL, 0, &bytes, &err), T2_OK);
    assert_int_equal(bytes, 0);
    assert_ptr_equal(m->arena, arena);
    mdl_free(m);
}

/* More shapes than graphs are kept (512): the oldest goes, and comes again. */
static void test_more_shapes_than_graphs(void **state)
{
    enum { SHAPES = 530 };
    struct mdl *m =
        tiny_model(op_device("cpu", 1), "num_hidden_layers=1", &tiny_language, MDL_EVAL);
    struct mdl_loss first[3], loss;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    /* the largest first, so that the arena does not drop all graphs by growing */
    for (int32_t i = SHAPES; i > 0; i--) {
        const struct mdl_batch *b = tiny_batch(&batch, 1, 0, i, 3);

        assert_int_equal(mdl_evaluate(m, b, i <= 3 ? &first[i - 1] : &loss, &err), T2_OK);
        assert_true(m->n_graphs <= 512);
    }
    assert_int_equal(m->n_graphs, 512);
    for (int32_t i = 1; i <= 3; i++) { /* these are there still */
        assert_int_equal(mdl_evaluate(m, tiny_batch(&batch, 1, 0, i, 3), &loss, &err), T2_OK);
        assert_memory_equal(&loss, &first[i - 1], sizeof loss);
    }
    for (int32_t i = SHAPES; i > SHAPES - 20; i--) /* these went */
        assert_int_equal(mdl_evaluate(m, tiny_batch(&batch, 1, 0, i, 3), &loss, &err), T2_OK);
    assert_int_equal(m->n_graphs, 512);
    mdl_free(m);
}

/* ---- out of memory ---- */

/* Everything a training run does with a model, with the n-th allocation failing. */
static enum t2_status use_model(struct dev *d, struct t2_err *err)
{
    static const struct mdl_shape shapes[] = {
        {.batch = 2, .inputs_length = 5, .targets_length = 6}};
    struct mdl_hparams *hp = tiny_hparams("");
    struct mdl *m = NULL;
    struct mdl_loss loss;
    enum t2_status st;

    T2_GOTO(st, out, mdl_new("transformer", d, hp, &tiny_translation, MDL_TRAIN, &m, err));
    T2_GOTO(st, out, mdl_initialise(m, 1, err));
    T2_GOTO(st, out, mdl_plan(m, shapes, 1, NULL, err));
    T2_GOTO(st, out, mdl_train_step(m, tiny_batch(&batch, 2, 5, 6, 1), 1, 0, &loss, err));
    /* larger than planned: arena and position table must grow */
    T2_GOTO(st, out, mdl_train_step(m, tiny_batch(&batch, 2, 300, 6, 1), 1, 1, &loss, err));
    T2_GOTO(st, out, mdl_evaluate(m, tiny_batch(&batch, 3, 5, 6, 1), &loss, err));
out:
    mdl_free(m);
    mdl_hparams_free(hp);
    return st;
}

static void test_each_allocation_failing(void **state)
{
    enum t2_status st = T2_ENOMEM;
    uint64_t n = 0;

    (void) state;
    OP_NEEDS_CPU();
    while (st == T2_ENOMEM) {
        struct t2_err err = T2_ERR_INIT;

        t2_alloc_fail_after(++n);
        st = use_model(op_device("cpu", 1), &err);
        t2_alloc_fail_after(0);
        if (st == T2_ENOMEM)
            t_assert_contains(err.message, "not enough memory for ");
        assert_true(n < 100);
    }
    assert_int_equal(st, T2_OK);
    assert_true(n > 6); /* position table twice, parameters twice, arena twice */
}

/* A step that failed can be repeated. */
static void test_again_after_out_of_memory(void **state)
{
    struct mdl *m = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_TRAIN);
    struct mdl_loss loss, expected;

    (void) state;
    OP_NEEDS_CPU();
    for (uint64_t n = 1; n <= 2; n++) {
        int32_t length = n == 1 ? 300 : 30;
        struct t2_err err = T2_ERR_INIT;

        t2_alloc_fail_after(1);
        assert_int_equal(mdl_train_step(m, tiny_batch(&batch, 2, length * (int32_t) n, 6, 1), 1, 0,
                                        &loss, &err),
                         T2_ENOMEM);
        t2_alloc_fail_after(0);
        assert_int_equal(mdl_train_step(m, &batch.b, 1, 0, &loss, &err), T2_OK);
        assert_int_equal(mdl_train_step(m, &batch.b, 1, 0, &expected, &err), T2_OK);
        assert_memory_equal(&loss, &expected, sizeof loss);
        m->dev->free(m->dev, m->arena); /* so that the next one must grow again */
        m->arena = NULL;
        m->arena_bytes = 0;
        mdl_drop_graphs(m);
    }
    mdl_free(m);
}

/* ---- symbol_dropout ---- */

static struct mdl_loss loss_with(const char *overrides, uint64_t step, bool training)
{
    struct mdl *m = tiny_model(op_device("cpu", 2), overrides, &tiny_translation, MDL_TRAIN);
    struct mdl_loss loss;
    struct t2_err err = T2_ERR_INIT;

    (void) tiny_batch(&batch, 3, 6, 7, 1);
    if (training)
        assert_int_equal(mdl_train_step(m, &batch.b, 1, step, &loss, &err), T2_OK);
    else
        assert_int_equal(mdl_evaluate(m, &batch.b, &loss, &err), T2_OK);
    mdl_free(m);
    return loss;
}

/* What is embedded is dropped, what is predicted is not; evaluation drops nothing. */
static void test_symbol_dropout(void **state)
{
    struct mdl_loss none = loss_with("", 0, true), some = loss_with("symbol_dropout=0.5", 0, true);

    (void) state;
    assert_true(some.denominator == none.denominator);
    assert_true(some.numerator != none.numerator);
    assert_true(loss_with("symbol_dropout=0.5", 0, true).numerator == some.numerator);
    assert_true(loss_with("symbol_dropout=0.5", 1, true).numerator != some.numerator);
    assert_true(loss_with("symbol_dropout=0.5", 0, false).numerator ==
                loss_with("", 0, false).numerator);
}

/* With everything dropped no embedding is read. */
static void test_all_symbols_dropped(void **state)
{
    struct mdl *m = tiny_model(op_device("cpu", 1),
                               "symbol_dropout=0.999999,shared_embedding_and_softmax_weights=false,"
                               "symbol_modality_num_shards=1",
                               &tiny_translation, MDL_TRAIN);
    const struct gr_params *p = mdl_params(m);
    struct mdl_loss loss;
    struct t2_err err = T2_ERR_INIT;
    int n_tables = 0;
    float *grads;

    (void) state;
    assert_int_equal(mdl_train_step(m, tiny_batch(&batch, 3, 6, 7, 1), 1, 0, &loss, &err), T2_OK);
    assert_true(loss.denominator > 0.0);
    grads = gradients_of(m);
    for (int v = 0; v < p->n_variables; v++) {
        const struct gr_variable *w = &p->variables[v];

        if (!strstr(w->name, "input_emb") && !strstr(w->name, "target_emb"))
            continue;
        n_tables++;
        for (int64_t i = 0; i < w->n; i++)
            assert_true(grads[w->offset + i] == 0.0f);
    }
    free(grads);
    assert_int_equal(n_tables, 2);
    mdl_free(m);
}

/* ---- profile ---- */

static void test_profile(void **state)
{
    struct mdl *m = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_TRAIN);
    struct gr_profile profile = {.n = 0};
    struct mdl_loss loss;
    struct t2_err err = T2_ERR_INIT;
    int n;

    (void) state;
    mdl_set_profile(m, &profile);
    assert_int_equal(mdl_train_step(m, tiny_batch(&batch, 2, 5, 6, 1), 1, 0, &loss, &err), T2_OK);
    n = profile.n;
    assert_true(n > 0);
    mdl_set_profile(m, NULL);
    profile.n = 0;
    assert_int_equal(mdl_train_step(m, &batch.b, 1, 0, &loss, &err), T2_OK);
    assert_int_equal(profile.n, 0);
    gr_profile_release(&profile);
    mdl_free(m);
}

T_MAIN(cmocka_unit_test(test_refusals), cmocka_unit_test(test_impossible_batches),
       cmocka_unit_test(test_what_it_was_made_of),
       cmocka_unit_test(test_threads_give_the_same_bits),
       cmocka_unit_test(test_remat_gives_the_same_bits),
       cmocka_unit_test(test_seed_and_step_name_the_masks),
       cmocka_unit_test(test_plain_has_the_same_gradients),
       cmocka_unit_test(test_loss_is_what_the_logits_say), cmocka_unit_test(test_loss_multiplier),
       cmocka_unit_test(test_no_targets), cmocka_unit_test(test_empty_source),
       cmocka_unit_test(test_padding_changes_nothing),
       cmocka_unit_test(test_positions_from_no_features), cmocka_unit_test(test_tiniest_shapes),
       cmocka_unit_test(test_growing_arena), cmocka_unit_test(test_longer_positions),
       cmocka_unit_test(test_plan_is_enough), cmocka_unit_test(test_more_shapes_than_graphs),
       cmocka_unit_test(test_each_allocation_failing),
       cmocka_unit_test(test_again_after_out_of_memory), cmocka_unit_test(test_symbol_dropout),
       cmocka_unit_test(test_all_symbols_dropped), cmocka_unit_test(test_profile))
