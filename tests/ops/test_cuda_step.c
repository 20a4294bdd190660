/*
 * tests/ops/test_cuda_step.c - what a training step costs beside its work, counted on the emulated
 * GPU: one graph, two kernels that say what the step is about, no wait for the step itself.  The
 * bits are those of passes and update apart.  (make check-cuda)
 */
#include "tests/unit/train/tiny_model.h"

#include "base/alloc.h"
#include "train/graph/profile.h"
#include "train/optim/optimizer.h"
#ifdef DEV_CUDA_ON_HOST
#include "tests/support/cuda_on_host/on_host.h"

enum { STEPS = 1000 };

/* A model with its optimizer, whose steps are queued one ahead, as the trainer's are. */
struct training {
    struct dev *dev;
    struct mdl *m;
    struct mdl_hparams *hp;
    struct opt_optimizer *o;
    int64_t n, n_taken;
    struct tiny_batch batches[2];
    double loss, norm;
};

static struct t2_err err = T2_ERR_INIT;

static bool rounds_ahead = true; /* else in front of each product */

static void begin(struct training *t, const char *precision, const char *overrides)
{
    *t = (struct training){.hp = tiny_hparams("num_hidden_layers=1")};
    assert_int_equal(mdl_hparams_override(t->hp, overrides, &err), T2_OK);
    assert_int_equal(dev_open("cuda", 1, &t->dev, &err), T2_OK);
    assert_int_equal(dev_set_precision(t->dev, precision, &err), T2_OK);
    t->dev->rounds_ahead = rounds_ahead;
    assert_int_equal(mdl_new("transformer", t->dev, t->hp, &tiny_translation, MDL_TRAIN, &t->m,
                             &err),
                     T2_OK);
    assert_int_equal(mdl_initialise(t->m, 1, &err), T2_OK);
    assert_int_equal(opt_new(t->hp, mdl_params(t->m), &t->o, &err), T2_OK);
    opt_watch_loss(t->o, mdl_loss_on_device(t->m));
    if (strcmp(precision, "float16") == 0)
        mdl_set_loss_scale(t->m, 8.0);
}

static void take(struct training *t)
{
    struct opt_report report;
    struct mdl_loss loss;

    assert_int_equal(mdl_take_loss(t->m, &loss, &err), T2_OK);
    assert_int_equal(opt_take_step(t->o, &report, &err), T2_OK);
    t->loss = loss.numerator / loss.denominator;
    t->norm = report.gradient_norm;
    t->n_taken++;
}

/* A step of this many rows; then the one before it is taken. */
static void queue(struct training *t, int32_t rows, bool whole)
{
    const struct mdl_batch *b = tiny_batch(&t->batches[t->n % 2], rows, 9, 7, (uint64_t) t->n);

    if (whole) {
        assert_int_equal(opt_queue_whole_step(t->o, t->m, b, 3, t->n, STEPS, &err), T2_OK);
    } else {
        assert_int_equal(mdl_queue_step(t->m, b, 3, (uint64_t) t->n, &err), T2_OK);
        assert_int_equal(opt_queue_step(t->o, t->n, STEPS, &err), T2_OK);
    }
    if (t->n++ > t->n_taken)
        take(t);
}

static void end(struct training *t)
{
    opt_free(t->o);
    mdl_free(t->m);
    dev_close(t->dev);
    mdl_hparams_free(t->hp);
}

static float *values_of(struct training *t, size_t *bytes)
{
    const struct gr_params *p = mdl_params(t->m);
    float *values;

    *bytes = (size_t) p->n_floats * sizeof *values;
    values = t2_alloc(*bytes, 1);
    t->dev->download(t->dev, values, p->values, *bytes);
    return values;
}

/* What queueing the step cost. */
static struct cuda_on_host_counts cost(struct training *t, int32_t rows)
{
    struct cuda_on_host_counts before = cuda_on_host_counted(), after;

    queue(t, rows, true);
    after = cuda_on_host_counted();
    return (struct cuda_on_host_counts){after.graphs - before.graphs,
                                        after.kernels - before.kernels, after.waits - before.waits,
                                        after.stalls - before.stalls};
}

static void test_counts(void **state)
{
    static const char *const precisions[] = {"bfloat16", "float16"};

    (void) state;
    for (int p = 0; p < 2; p++) {
        struct training t;

        begin(&t, precisions[p], "weight_decay=0.1,moving_average_decay=0.9");
        for (int k = 0; k < 5; k++) /* two shapes, of which each is run, then recorded */
            queue(&t, 4 - k % 2, true);
        for (int k = 0; k < 4; k++) {
            struct cuda_on_host_counts c = cost(&t, 4 - k % 2);

            assert_int_equal(c.graphs, 1);
            assert_int_equal(c.kernels, 2); /* set_step, set_optimizer_step */
            assert_int_equal(c.stalls, 0);
            assert_int_equal(c.waits, 2); /* for the loss and the update of the step before */
        }
        end(&t);
    }
}

/* A shape that comes once is not recorded; one that comes when there is no room is run. */
static void test_rare_shapes(void **state)
{
    struct training t;
    struct cuda_on_host_counts c;

    (void) state;
    begin(&t, "float32", "");
    for (int k = 0; k < 3; k++)
        queue(&t, 5, true);
    c = cost(&t, 3);
    assert_int_equal(c.graphs, 0);
    assert_true(c.kernels > 50);
    t.dev->recordings_left = 0;
    for (int k = 0; k < 3; k++)
        assert_int_equal(cost(&t, 3).graphs, 0);
    assert_int_equal(cost(&t, 5).graphs, 1);
    assert_int_equal(t.dev->recordings_left, 0);
    t.dev->recordings_left = 1;
    for (int k = 0; k < 2; k++)
        assert_int_equal(cost(&t, 3).graphs, 1);
    assert_int_equal(t.dev->recordings_left, 0);
    end(&t);
}

/* The bits of variables and reports, whatever is recorded and however it is cut. */
static void test_bits(void **state)
{
    static const char *const optimizers[] = {"optimizer=Adam,lookahead_steps=3",
                                             "optimizer=Adafactor,moving_average_decay=0.9",
                                             "optimizer=Adam,weight_noise=0.1"};
    static const char *const precisions[] = {"float32", "bfloat16", "float16"};

    (void) state;
    for (int k = 0; k < 3; k++) {
        struct training t[2];
        float *values[2];
        size_t bytes = 0;

        for (int whole = 0; whole < 2; whole++) {
            begin(&t[whole], precisions[k], optimizers[k]);
            for (int n = 0; n < 6; n++)
                queue(&t[whole], n % 3 == 2 ? 2 : 3, whole);
            take(&t[whole]);
            values[whole] = values_of(&t[whole], &bytes);
        }
        if (memcmp(values[0], values[1], bytes) != 0)
            fail_msg("%s, %s: other values", precisions[k], optimizers[k]);
        assert_true(t[0].loss == t[1].loss && t[0].norm == t[1].norm);
        for (int whole = 0; whole < 2; whole++) {
            t2_free(values[whole]);
            end(&t[whole]);
        }
    }
}

/* Another optimizer's update is not the one that was recorded. */
static void test_another_update(void **state)
{
    struct training t;
    struct opt_optimizer *first;
    float *before, *after;
    size_t bytes;

    (void) state;
    begin(&t, "float32", "");
    for (int k = 0; k < 4; k++)
        queue(&t, 3, true);
    take(&t);
    first = t.o;
    assert_int_equal(opt_new(t.hp, mdl_params(t.m), &t.o, &err), T2_OK);
    opt_set_updates(t.o, 1);
    opt_free(first);
    before = values_of(&t, &bytes);
    queue(&t, 3, true);
    take(&t);
    after = values_of(&t, &bytes);
    assert_memory_not_equal(before, after, bytes);
    assert_int_equal(opt_updates(t.o), 2);
    t2_free(before);
    t2_free(after);
    end(&t);
}

/* With 16 bits products read weights that the update has rounded: a step has no pass over them.
 * They are what rounding all values gives, and what comes of them has the bits of rounding them in
 * front of each product. */
static void test_rounded_weights(void **state)
{
    struct training t;
    const struct gr_params *p;
    uint16_t *rounded;
    float *values, *others;
    size_t bytes;

    (void) state;
    begin(&t, "bfloat16", "");
    p = mdl_params(t.m);
    assert_non_null(p->rounded);
    for (int k = 0; k < 3; k++) {
        queue(&t, 3, true);
        assert_false(p->rounded->is_old);
    }
    take(&t);
    values = values_of(&t, &bytes);
    rounded = t2_alloc(bytes / 2, 1);
    t.dev->download(t.dev, rounded, p->rounded->values, bytes / 2);
    for (int64_t i = 0; i < p->n_floats; i++)
        assert_int_equal(rounded[i], dev_bfloat16(values[i]));
    end(&t);
    rounds_ahead = false;
    begin(&t, "bfloat16", "");
    assert_null(mdl_params(t.m)->rounded);
    for (int k = 0; k < 3; k++)
        queue(&t, 3, true);
    take(&t);
    others = values_of(&t, &bytes);
    assert_memory_equal(values, others, bytes);
    end(&t);
    rounds_ahead = true;
    t2_free(values);
    t2_free(others);
    t2_free(rounded);
    begin(&t, "float32", "");
    assert_null(mdl_params(t.m)->rounded);
    end(&t);
}

/* A profile names operators, as nothing is recorded then. */
static void test_profile(void **state)
{
    struct gr_profile times = {0};
    struct training t;
    bool found = false;

    (void) state;
    begin(&t, "float32", "");
    for (int k = 0; k < 3; k++)
        queue(&t, 3, true);
    mdl_set_profile(t.m, &times);
    assert_int_equal(cost(&t, 3).graphs, 0);
    for (int i = 0; i < times.n; i++)
        found |= strcmp(times.op[i], "attention") == 0;
    assert_true(found);
    mdl_set_profile(t.m, NULL);
    assert_int_equal(cost(&t, 3).graphs, 1);
    gr_profile_release(&times);
    end(&t);
}

T_MAIN(cmocka_unit_test(test_counts), cmocka_unit_test(test_rare_shapes),
       cmocka_unit_test(test_bits), cmocka_unit_test(test_another_update),
       cmocka_unit_test(test_rounded_weights), cmocka_unit_test(test_profile))
#else
static void test_nothing(void **state)
{
    (void) state;
    t_skip_reason("%s", "for the emulated GPU; make check-cuda");
    skip();
}

T_MAIN(cmocka_unit_test(test_nothing))
#endif
