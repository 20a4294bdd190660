/*
 * Tests of train/runs/next_batch.c: batches that were sent are what a step without sending has,
 * bit for bit, on device far in every order of its queues; a wait that is missing is found.
 */
#include "train/runs/next_batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/op_device.h"
#include "tests/unit/train/id_shards.h"
#include "tests/unit/train/image_shards.h"
#include "train/input/image_recipe.h"
#include "train/models/model_parts.h"

enum { N_STEPS = 8, SIZE = 24 };

static struct t2_err err;

#define OK(expression)                                                                             \
    do {                                                                                           \
        if ((expression) != T2_OK)                                                                 \
            fail_msg("%s", err.message);                                                           \
    } while (0)

struct data {
    const char *set, *model, *hparams;
    bool images;
};

static const struct data texts = {"transformer_tiny", "transformer",
                                  "hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=1,"
                                  "batch_size=100,max_length=32,layer_prepostprocess_dropout=0.1",
                                  false};
/* as floats, and as bytes */
static const struct data of_floats = {"basic_fc_small", "basic_fc_relu",
                                      "batch_size=4,hidden_size=8,image_size=24,"
                                      "image_pipeline=resnet",
                                      true};
static const struct data of_bytes = {"basic_fc_small", "basic_fc_relu",
                                     "batch_size=4,hidden_size=8,image_size=24,"
                                     "image_pipeline=torchvision",
                                     true};

/* A model on a device and what it trains on. */
struct small {
    struct dev *dev;
    struct mdl_hparams *hp;
    struct mdl *m;
    struct in_image_recipe recipe;
    struct in_memory memory;
    struct in_input *in;
};

static void (*real_queue_wait)(struct dev *d, enum dev_queue queue, const struct dev_event *e);
static enum dev_queue forgetful; /* queue_wait of this queue does nothing */
static bool as_bytes = true;     /* images that can */

static void forget_some(struct dev *d, enum dev_queue queue, const struct dev_event *e)
{
    if (queue != forgetful)
        real_queue_wait(d, queue, e);
}

static void small_new(const struct data *a, const char *dir, const char *device, struct small *s)
{
    struct in_options o = {.data_dir = dir,
                           .dataset = a->images ? "images" : "ids",
                           .split = "train",
                           .inputs_feature = a->images ? NULL : "inputs",
                           .targets_feature = "targets",
                           .inputs_vocab = IDS_VOCAB,
                           .targets_vocab = a->images ? IMAGE_CLASSES : IDS_VOCAB,
                           .images = a->images ? &s->recipe : NULL,
                           .training = true,
                           .seed = 17,
                           .num_threads = 2,
                           .prefetch_batches = 2,
                           .image_bytes = as_bytes};
    struct mdl_problem problem = {.has_inputs = !a->images,
                                  .inputs_vocab = IDS_VOCAB,
                                  .targets_vocab = o.targets_vocab,
                                  .loss_multiplier = 1.0,
                                  .class_labels = a->images};

    OK(mdl_hparams_new(a->set, &s->hp, &err));
    OK(mdl_hparams_override(s->hp, a->hparams, &err));
    OK(dev_open(device, 1, &s->dev, &err));
    s->memory = tr_batch_memory(&s->dev);
    o.memory = &s->memory;
    if (a->images) {
        OK(in_image_recipe_of("problem", s->hp, &s->recipe, &err));
        problem.image = (struct mdl_image){SIZE, SIZE, s->recipe.channels};
    }
    OK(mdl_new(a->model, s->dev, s->hp, &problem, MDL_TRAIN, &s->m, &err));
    OK(mdl_initialise(s->m, 5, &err));
    OK(in_new(&o, s->hp, &s->in, &err));
}

static void small_free(struct small *s)
{
    mdl_forget_sent(s->m);
    in_free(s->in);
    mdl_free(s->m);
    mdl_hparams_free(s->hp);
    dev_close(s->dev);
}

/* Losses of steps, as bits; true if the device saw nothing wrong. */
static bool losses_of(struct small *s, bool sends, double losses[N_STEPS])
{
    for (uint64_t k = 0; k < N_STEPS; k++) {
        struct mdl_batch batch;
        struct mdl_loss loss;
        uint64_t samples;

        for (int tries = 0; sends && k > 0 && !in_peek(s->in) && tries < 2000; tries++)
            (void) usleep(1000); /* so that every batch but the first is sent beside a step */
        if (sends)
            OK(tr_next_batch(s->in, s->m, &batch, &samples, &err));
        else
            OK(in_next(s->in, &batch, &samples, &err));
        assert_int_equal(batch.sent != 0, sends && !s->dev->host_memory);
        if (mdl_train_step(s->m, &batch, 3, k, &loss, &err) != T2_OK)
            return false;
        losses[k] = loss.numerator;
    }
    return true;
}

static void run(const struct data *a, const char *dir, const char *device, bool sends,
                double losses[N_STEPS])
{
    struct small s = {0};

    small_new(a, dir, device, &s);
    if (!losses_of(&s, sends, losses))
        fail_msg("%s", err.message);
    small_free(&s);
}

static void check_same(const struct data *a, const char *dir)
{
    /* an emulated GPU in far's place takes its time */
    const int n_seeds = strcmp(op_device("far", 1)->name, "far") == 0 ? 5 : 2;
    double expected[N_STEPS], got[N_STEPS];

    run(a, dir, "reference", false, expected);
    run(a, dir, "reference", true, got);
    assert_memory_equal(got, expected, sizeof got);
    for (int seed = 0; seed < n_seeds; seed++) {
        char text[16];

        snprintf(text, sizeof text, "%d", seed);
        setenv("T2_FAR_SEED", text, 1);
        run(a, dir, "far", seed > 0, got);
        assert_memory_equal(got, expected, sizeof got);
    }
    unsetenv("T2_FAR_SEED");
}

static const char *image_dir(const char *name)
{
    const char *dir = t_tmp_path(name);

    images_write(dir, "images", "train", 40, 2, 30, 26, 3, 0);
    return dir;
}

static void test_the_same_losses(void **state)
{
    const char *ids = t_tmp_path("ids"), *images = image_dir("images");

    (void) state;
    ids_write(ids, "train", 300, 2, 20);
    check_same(&texts, ids);
    check_same(&of_floats, images);
    check_same(&of_bytes, images);
}

/* What a step of this run was of. */
static void test_bytes_travel(void **state)
{
    const char *dir = image_dir("travel");
    const struct data *const cases[] = {&of_floats, &of_bytes};

    (void) state;
    for (int i = 0; i < 2; i++) {
        struct small s = {0};
        struct mdl_batch batch;
        struct mdl_shape shape;
        uint64_t samples, pixels;

        small_new(cases[i], dir, "far", &s);
        OK(tr_next_batch(s.in, s.m, &batch, &samples, &err));
        assert_int_equal(batch.image_bytes != NULL, i);
        assert_int_equal(batch.images != NULL, !i);
        shape = mdl_shape_of(&batch);
        pixels = (uint64_t) (batch.batch * batch.height * batch.width * batch.channels);
        assert_true(mdl_sent_bytes(s.m, &shape) >= 2 * pixels * (i ? 1 : 4));
        assert_true(mdl_sent_bytes(s.m, &shape) < 2 * pixels * (i ? 1 : 4) + 16384);
        small_free(&s);
    }
}

/* Images of bytes are mirrored where they become floats: it is the host's floats that come out. */
static void test_mirrored_on_the_device(void **state)
{
    const char *dir = image_dir("mirrored");
    double expected[N_STEPS], got[N_STEPS];
    struct small s = {0};
    int n_mirrored = 0, n = 0;

    (void) state;
    small_new(&of_bytes, dir, "far", &s);
    for (int k = 0; k < N_STEPS; k++) {
        struct mdl_batch batch;
        uint64_t samples;

        OK(in_next(s.in, &batch, &samples, &err));
        for (int32_t i = 0; i < batch.batch; i++, n++)
            n_mirrored += batch.mirrored[i];
    }
    small_free(&s);
    assert_in_range(n_mirrored, 1, n - 1);
    as_bytes = false;
    run(&of_bytes, dir, "reference", false, expected);
    as_bytes = true;
    run(&of_bytes, dir, "reference", false, got);
    assert_memory_equal(got, expected, sizeof got);
    run(&of_bytes, dir, "far", true, got);
    assert_memory_equal(got, expected, sizeof got);
}

/* Without the waits of a queue some order of the queues gives something else. */
static void test_a_missing_wait_is_found(void **state)
{
    static const enum dev_queue queues[] = {DEV_COMPUTE, DEV_COPY_IN};
    const char *ids = t_tmp_path("missing");
    double expected[N_STEPS], got[N_STEPS];

    (void) state;
    if (op_is_gpu(op_device("far", 1)))
        t_skip("a GPU's queues run in the order that suits them");
    ids_write(ids, "train", 300, 2, 20);
    run(&texts, ids, "reference", false, expected);
    for (int i = 0; i < 2; i++) {
        bool found = false;

        for (int seed = 0; seed < 200 && !found; seed++) { /* about every second one finds it */
            struct small s = {0};
            char text[16];

            snprintf(text, sizeof text, "%d", seed);
            setenv("T2_FAR_SEED", text, 1);
            small_new(&texts, ids, "far", &s);
            real_queue_wait = s.dev->queue_wait;
            forgetful = queues[i];
            s.dev->queue_wait = forget_some;
            found = !losses_of(&s, true, got) || memcmp(got, expected, sizeof got) != 0;
            small_free(&s);
        }
        assert_true(found);
    }
    unsetenv("T2_FAR_SEED");
}

T_MAIN(cmocka_unit_test(test_the_same_losses), cmocka_unit_test(test_bytes_travel),
       cmocka_unit_test(test_mirrored_on_the_device),
       cmocka_unit_test(test_a_missing_wait_is_found))
