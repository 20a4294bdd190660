/*
 * test_data_shards.c - a step in shards: the same bits for any number of ranks, on any device; what
 * it has to do with a step of the whole batch.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/comm_threads.h"
#include "tests/unit/train/image_model.h"
#include "tests/unit/train/tiny_model.h"
#include "train/dist/comm.h"
#include "train/dist/shard_tree.h"
#include "train/graph/graph.h"
#include "train/input/rank.h"
#include "train/runs/data_shards.h"

enum { MOST_RANKS = 5, STEPS = 3 };

/* What all ranks compute, and what each found. */
struct job {
    const char *device;
    bool images; /* batch normalisation, whose averages move */
    int n_shards;
    int32_t rows;
    double sum[MOST_RANKS], loss[MOST_RANKS], evaluated[MOST_RANKS];
    uint64_t bits[MOST_RANKS];      /* of all values, after the steps */
    uint64_t predicted[MOST_RANKS]; /* ids and labels of the evaluation */
    uint64_t device_bytes[MOST_RANKS], host_bytes[MOST_RANKS];
};

/* The whole batch, on every rank. */
struct whole {
    struct tiny_batch text;
    float images[16 * 8 * 8 * 3];
    int32_t labels[16];
    struct mdl_batch batch;
};

static void fill(struct whole *w, const struct job *j)
{
    if (!j->images) {
        w->batch = *tiny_batch(&w->text, j->rows, 7, 9, 5);
    } else {
        t_fill(w->images, sizeof w->images / sizeof *w->images, 5);
        for (int i = 0; i < 16; i++)
            w->labels[i] = 3 * i % IMAGE_CLASSES;
        w->batch = (struct mdl_batch){.batch = j->rows,
                                      .targets_length = 1,
                                      .targets = w->labels,
                                      .height = 8,
                                      .width = 8,
                                      .channels = 3,
                                      .images = w->images};
    }
    w->batch.all_rows = j->rows;
}

/* Of the rows that a rank has. */
static struct mdl_batch rows_of_rank(const struct mdl_batch *all, struct dist_span here, int n)
{
    struct in_span rows =
        in_ranks_rows((struct in_rank){here.first, n}, here.end - here.first, all->all_rows);
    struct mdl_batch b = *all;

    b.batch = rows.n;
    b.first_row = rows.first;
    b.inputs += all->inputs ? rows.first * all->inputs_length : 0;
    b.targets += rows.first * all->targets_length;
    b.images += all->images ? rows.first * 8 * 8 * 3 : 0;
    return b;
}

static enum t2_status open_model(const struct job *j, struct dev **dev, struct mdl **m,
                                 struct t2_err *err)
{
    struct mdl_problem problem = j->images ? image_problem(8, 3) : tiny_translation;
    struct mdl_hparams *hp = NULL;
    enum t2_status st;

    T2_TRY(dev_open(j->device, 1, dev, err));
    T2_TRY(mdl_hparams_new(j->images ? "resnet_cifar_15" : "transformer_test", &hp, err));
    st = mdl_hparams_override(hp,
                              j->images ? "layer_sizes=[1,1,1],filter_sizes=[8,8,16,16]"
                                        : "attention_dropout=0.2,relu_dropout=0.2,"
                                          "layer_prepostprocess_dropout=0.2",
                              err);
    if (st == T2_OK)
        st = mdl_new(j->images ? "resnet" : "transformer", *dev, hp, &problem, MDL_TRAIN, m, err);
    mdl_hparams_free(hp);
    T2_TRY(st);
    return mdl_initialise(*m, 1, err);
}

static uint64_t bits_of(struct dev *d, const float *x, int64_t n, uint64_t bits)
{
    uint32_t *host = t2_alloc((size_t) n, sizeof *host);

    d->download(d, host, x, (size_t) n * sizeof *host);
    for (int64_t i = 0; i < n; i++)
        bits = bits * UINT64_C(6364136223846793005) + host[i];
    t2_free(host);
    return bits;
}

static enum t2_status steps(struct tr_shards *s, struct dist *dist, struct mdl *m,
                            const struct mdl_batch *batch, struct mdl_loss *loss,
                            struct t2_err *err)
{
    struct tr_word word = {.n_targets = mdl_count_targets(m, batch)};

    T2_TRY(tr_shards_agree(dist, &word, &word, err));
    for (uint64_t step = 0; step < STEPS; step++) {
        T2_TRY(tr_shards_queue_step(s, batch, word.n_targets, 11, step, err));
        T2_TRY(mdl_take_loss(m, loss, err));
    }
    return T2_OK;
}

static enum t2_status rank_of(struct dist *dist, void *arg, struct t2_err *err)
{
    struct job *j = arg;
    int me = dist_rank(dist);
    struct dist_span here = dist_tree_of_rank(j->n_shards, me, dist_size(dist));
    struct whole *w = t2_alloc(1, sizeof *w);
    struct tr_predicted predicted = {0};
    struct tr_shards *s = NULL;
    struct mdl_batch batch;
    struct dev *dev = NULL;
    struct mdl *m = NULL;
    struct mdl_loss loss;
    enum t2_status st;

    fill(w, j);
    batch = rows_of_rank(&w->batch, here, j->n_shards);
    T2_GOTO(st, out, open_model(j, &dev, &m, err));
    mdl_set_predicts(m, !j->images);
    j->predicted[me] = 0;
    s = tr_shards_new(dist, dev, m, j->n_shards, DIST_FLOAT32);
    T2_GOTO(st, out, tr_shards_place(s, err));
    tr_shards_bytes(s, &j->device_bytes[me], &j->host_bytes[me]);
    T2_GOTO(st, out, steps(s, dist, m, &batch, &loss, err));
    j->loss[me] = loss.numerator;
    j->bits[me] = bits_of(dev, mdl_params(m)->grads, mdl_params(m)->n_floats, 1);
    j->bits[me] = bits_of(dev, mdl_params(m)->values, mdl_params(m)->n_floats, j->bits[me]);
    T2_GOTO(st, out,
            tr_shards_evaluate(dist, m, j->n_shards, &batch, T2_OK, &loss,
                               j->images ? NULL : &predicted, err));
    j->evaluated[me] = loss.numerator;
    for (int32_t i = 0; i < predicted.rows * predicted.length; i++)
        j->predicted[me] = j->predicted[me] * 31 +
                           (uint64_t) (predicted.ids[i] + TINY_VOCAB * predicted.labels[i]);
out:
    tr_predicted_release(&predicted);
    tr_shards_free(s);
    mdl_free(m);
    if (dev)
        dev_close(dev);
    t2_free(w);
    return st;
}

static void run(struct job *j, int ranks)
{
    struct t_rank_result results[MOST_RANKS];

    t_run_ranks(ranks, rank_of, j, results);
    t_assert_ranks(ranks, results);
    for (int r = 1; r < ranks; r++) {
        assert_true(j->bits[r] == j->bits[0]);
        assert_true(j->loss[r] == j->loss[0]);
        assert_true(j->evaluated[r] == j->evaluated[0]);
        assert_true(j->predicted[r] == j->predicted[0]);
    }
}

static void check_ranks(struct job j, int least, int most)
{
    struct job one = j;

    run(&one, 1);
    for (int ranks = least; ranks <= most; ranks++) {
        run(&j, ranks);
        assert_true(j.bits[0] == one.bits[0]);
        assert_true(j.loss[0] == one.loss[0]);
        assert_true(j.evaluated[0] == one.evaluated[0]);
        assert_true(j.predicted[0] == one.predicted[0]);
        assert_true(j.images || j.predicted[0] != 0);
    }
}

static void test_text(void **state)
{
    (void) state;
    check_ranks((struct job){.device = "cpu", .n_shards = 4, .rows = 12}, 2, 5);
    check_ranks((struct job){.device = "cpu", .n_shards = 3, .rows = 10}, 2, 3);
}

/* Rows that some shards have none of: the first of three has not, of two rows. */
static void test_fewer_rows_than_shards(void **state)
{
    (void) state;
    check_ranks((struct job){.device = "cpu", .n_shards = 3, .rows = 2}, 2, 3);
    check_ranks((struct job){.device = "cpu", .images = true, .n_shards = 3, .rows = 2}, 3, 3);
}

static void test_moving_averages(void **state)
{
    (void) state;
    check_ranks((struct job){.device = "cpu", .images = true, .n_shards = 4, .rows = 16}, 2, 4);
}

/* Its memory is not the host's: gradients go through the queue of exchange. */
static void test_device_of_its_own_memory(void **state)
{
    struct job far = {.device = "far", .n_shards = 3, .rows = 6};
    struct job plain = {.device = "reference", .n_shards = 3, .rows = 6};

    (void) state;
    check_ranks(far, 2, 2);
    run(&far, 2);
    run(&plain, 1);
    assert_true(far.bits[0] == plain.bits[0]);
    assert_true(far.host_bytes[0] > plain.host_bytes[0]);
}

static void test_memory(void **state)
{
    struct job j = {.device = "cpu", .n_shards = 8, .rows = 8};
    uint64_t one_vector;

    (void) state;
    j.n_shards = 2;
    run(&j, 1);
    one_vector = j.device_bytes[0]; /* a sum waits while the next shard is computed */
    assert_true(one_vector > 0);
    j.n_shards = 8;
    run(&j, 1);
    assert_true(j.device_bytes[0] == 3 * one_vector);
    j.n_shards = 2;
    run(&j, 2);
    assert_true(j.device_bytes[0] == 0);
    assert_true(j.host_bytes[0] > 0);
}

/* Without dropout and batch normalisation, shards change nothing but the order of sums. */
static void test_whole_batch(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct whole *w = t2_alloc(1, sizeof *w);
    struct job j = {.device = "cpu", .n_shards = 4, .rows = 12};
    struct tr_shards *s = NULL;
    struct dist *dist = NULL;
    struct dist_comm comm;
    struct mdl_loss whole, parts;
    struct dev *dev = NULL;
    struct mdl *m;
    float *grads, *now;
    int64_t n;

    (void) state;
    fill(w, &j);
    assert_int_equal(dev_open("cpu", 1, &dev, &err), T2_OK);
    m = tiny_model(dev, "attention_dropout=0,relu_dropout=0,layer_prepostprocess_dropout=0",
                   &tiny_translation, MDL_TRAIN);
    n = mdl_params(m)->n_floats;
    grads = t2_alloc((size_t) n, sizeof *grads);
    assert_int_equal(mdl_train_step(m, &w->batch, 11, 0, &whole, &err), T2_OK);
    device_read(dev, grads, mdl_params(m)->grads, n);
    dist_comm_one(&comm);
    assert_int_equal(dist_new(&comm, "", &dist, &err), T2_OK);
    s = tr_shards_new(dist, dev, m, 4, DIST_FLOAT32);
    assert_int_equal(tr_shards_place(s, &err), T2_OK);
    assert_int_equal(tr_shards_queue_step(s, &w->batch, mdl_count_targets(m, &w->batch), 11, 0,
                                          &err),
                     T2_OK);
    assert_int_equal(mdl_take_loss(m, &parts, &err), T2_OK);
    assert_true(fabs(parts.numerator - whole.numerator) < 1e-5 * whole.numerator);
    assert_true(parts.denominator == whole.denominator);
    now = device_floats(dev, mdl_params(m)->grads, n);
    t_assert_close(now, grads, (size_t) n, 1e-6, 1e-4);
    free(now);
    tr_shards_free(s);
    dist_close(dist);
    mdl_free(m);
    dev_close(dev);
    t2_free(grads);
    t2_free(w);
}

/* ---- gradients that stay ---- */

struct heard {
    struct dev *dev;
    const struct gr_params *params;
    float *then;  /* what they were when they were said to stay */
    int64_t from; /* so far */
    int n_times;  /* that it fell */
};

static void hear(void *context, int64_t from)
{
    struct heard *h = context;

    if (from >= h->from)
        return;
    h->dev->download(h->dev, h->then + from, h->params->grads + from,
                     (size_t) (h->from - from) * sizeof *h->then);
    h->from = from;
    h->n_times++;
}

static void check_gradients_stay(const char *device, bool images, bool remat)
{
    struct job j = {.device = device, .images = images, .n_shards = 1, .rows = 4};
    struct whole *w = t2_alloc(1, sizeof *w);
    struct t2_err err = T2_ERR_INIT;
    struct heard h = {0};
    const struct gr_listener listener = {hear, &h, 50};
    struct mdl_loss loss;
    struct mdl *m = NULL;
    float *after;

    fill(w, &j);
    assert_int_equal(open_model(&j, &h.dev, &m, &err), T2_OK);
    mdl_set_remat(m, remat);
    h.params = mdl_params(m);
    h.from = h.params->n_floats;
    h.then = t2_alloc((size_t) h.from, sizeof *h.then);
    after = t2_alloc((size_t) h.from, sizeof *after);
    mdl_set_listener(m, &listener);
    /* On a device that records passes the first step is run, the second recorded. */
    for (uint64_t step = 0; step < 3; step++) {
        h.from = h.params->n_floats;
        h.n_times = 0;
        assert_int_equal(mdl_train_step(m, &w->batch, 1, step, &loss, &err), T2_OK);
        assert_int_equal(h.from, 0);
        assert_true(h.n_times > 5);
        h.dev->download(h.dev, after, h.params->grads, (size_t) h.params->n_floats * sizeof *after);
        for (int i = 0; i < h.params->n_variables; i++) {
            const struct gr_variable *v = &h.params->variables[i];

            if (v->trainable)
                assert_memory_equal(h.then + v->offset, after + v->offset,
                                    (size_t) v->n * sizeof *after);
        }
    }
    t2_free(h.then);
    t2_free(after);
    mdl_free(m);
    dev_close(h.dev);
    t2_free(w);
}

static void test_gradients_stay(void **state)
{
    (void) state;
    check_gradients_stay("cpu", false, false);
    check_gradients_stay("cpu", false, true);
    check_gradients_stay("far", false, false);
    check_gradients_stay("far", false, true);
    check_gradients_stay("reference", true, false);
}

/* ---- what ranks tell each other ---- */

static enum t2_status words(struct dist *dist, void *arg, struct t2_err *err)
{
    int me = dist_rank(dist);
    const struct tr_word mine = {.n_targets = 10 + me, .stops = me == 2, .saves = me == 1};
    struct tr_word all;

    (void) arg;
    T2_TRY(tr_shards_agree(dist, &mine, &all, err));
    if (all.n_targets != 33 || !all.stops || all.saves)
        return t2_fail(err, T2_EFORMAT, "%d %d", (int) all.stops, (int) all.saves);
    return T2_OK;
}

static void test_words(void **state)
{
    struct t_rank_result results[3];

    (void) state;
    t_run_ranks(3, words, NULL, results);
    t_assert_ranks(3, results);
}

/* One rank has no batch to evaluate, so none does. */
static enum t2_status evaluation_ends(struct dist *dist, void *arg, struct t2_err *err)
{
    struct job j = {.device = "cpu", .n_shards = 2, .rows = 4};
    struct whole *w = t2_alloc(1, sizeof *w);
    struct mdl_batch batch;
    struct dev *dev = NULL;
    struct mdl *m = NULL;
    struct mdl_loss loss;
    enum t2_status mine = *(const enum t2_status *) arg, st;

    fill(w, &j);
    batch = rows_of_rank(&w->batch, dist_tree_of_rank(2, dist_rank(dist), 2), 2);
    st = open_model(&j, &dev, &m, err);
    if (st == T2_OK) {
        if (dist_rank(dist) == 0)
            mine = T2_OK;
        else if (mine != T2_EOF)
            (void) t2_fail(err, mine, "no batch");
        st = tr_shards_evaluate(dist, m, 2, &batch, mine, &loss, NULL, err);
    }
    mdl_free(m);
    if (dev)
        dev_close(dev);
    t2_free(w);
    return st;
}

static void test_evaluation_ends(void **state)
{
    enum t2_status why[] = {T2_EOF, T2_EINTERRUPTED, T2_EIO};
    struct t_rank_result results[2];

    (void) state;
    for (size_t i = 0; i < sizeof why / sizeof *why; i++) {
        t_run_ranks(2, evaluation_ends, &why[i], results);
        for (int r = 0; r < 2; r++)
            assert_int_equal(results[r].status, why[i]);
    }
    t_assert_contains(results[0].err.message, "rank 1 on 'host0': no batch");
}

T_MAIN(cmocka_unit_test(test_text), cmocka_unit_test(test_fewer_rows_than_shards),
       cmocka_unit_test(test_moving_averages), cmocka_unit_test(test_device_of_its_own_memory),
       cmocka_unit_test(test_memory), cmocka_unit_test(test_whole_batch),
       cmocka_unit_test(test_words), cmocka_unit_test(test_gradients_stay),
       cmocka_unit_test(test_evaluation_ends))
