/*
 * test_shared_optimizer.c - ranks that share an optimizer's state: the checkpoints of one process,
 * and what happens when one cannot be written.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "tests/support/comm_threads.h"
#include "tests/support/device_floats.h"
#include "tests/support/t.h"
#include "tests/unit/train/tiny_model.h"
#include "train/runs/data_shards.h"
#include "train/runs/rank_saves.h"
#include "train/runs/shared_optimizer.h"

enum { STEPS = 3, MOST_RANKS = 4 };

struct job {
    const char *device;
    char *dir;
    bool swapped[MOST_RANKS]; /* averages were in place of values, and are no longer */
};

static struct ckpt_state state_of_run(void)
{
    struct ckpt_state s = {.step = STEPS, .seed = 1, .model = "transformer", .problem = "x"};

    snprintf(s.hparams_set, sizeof s.hparams_set, "transformer_tiny");
    return s;
}

static enum t2_status steps(struct tr_run *r, struct t2_err *err)
{
    const struct gr_params *p = mdl_params(r->model);
    struct opt_report report;

    for (int64_t i = 0; i < STEPS; i++) {
        device_fill(r->dev, p->grads, p->n_floats, 10 + (uint64_t) i);
        T2_TRY(opt_queue_step(r->opt, i, STEPS, err));
        T2_TRY(tr_share_gather_values(r, err));
        T2_TRY(opt_take_step(r->opt, &report, err));
    }
    return T2_OK;
}

static enum t2_status averages(struct tr_run *r, bool *swapped, struct t2_err *err)
{
    const struct gr_params *p = mdl_params(r->model);
    float *before = device_floats(r->dev, p->values, p->n_floats), *now = NULL;
    enum t2_status st = tr_share_swap_averages(r, err);

    if (st == T2_OK) {
        now = device_floats(r->dev, p->values, p->n_floats);
        *swapped = memcmp(before, now, (size_t) p->n_floats * sizeof *now) != 0;
        st = tr_share_swap_averages(r, err);
    }
    free(now);
    if (st == T2_OK) {
        now = device_floats(r->dev, p->values, p->n_floats);
        *swapped = *swapped && memcmp(before, now, (size_t) p->n_floats * sizeof *now) == 0;
        free(now);
    }
    free(before);
    return st;
}

/* Device, model, shards and the share of the optimizer; release_parts also on failure. */
static enum t2_status open_parts(struct tr_run *r, const char *device, struct t2_err *err)
{
    r->n_shards = dist_size(r->dist);
    T2_TRY(dev_open(device, 1, &r->dev, err));
    r->hp = tiny_hparams("optimizer=adam,moving_average_decay=0.5");
    T2_TRY(mdl_new("transformer", r->dev, r->hp, &tiny_translation, MDL_TRAIN, &r->model, err));
    T2_TRY(mdl_initialise(r->model, 1, err));
    r->shards = tr_shards_new(r->dist, r->dev, r->model, r->n_shards, DIST_FLOAT32);
    T2_TRY(tr_shards_place(r->shards, err));
    T2_TRY(opt_new_share(r->hp, mdl_params(r->model), tr_share(r), &r->opt, err));
    opt_start_averages(r->opt);
    return T2_OK;
}

static void release_parts(struct tr_run *r)
{
    opt_free(r->opt);
    tr_shards_free(r->shards);
    mdl_free(r->model);
    mdl_hparams_free(r->hp);
    if (r->dev)
        dev_close(r->dev);
}

static enum t2_status rank_of(struct dist *dist, void *arg, struct t2_err *err)
{
    struct job *j = arg;
    struct tr_run r = {.options = {.train = true, .shard_optimizer = true},
                       .dist = dist,
                       .output_dir = j->dir,
                       .saved_step = -1,
                       .state = state_of_run()};
    enum t2_status st;

    T2_GOTO(st, out, open_parts(&r, j->device, err));
    T2_GOTO(st, out, steps(&r, err));
    T2_GOTO(st, out, averages(&r, &j->swapped[dist_rank(dist)], err));
    T2_GOTO(st, out, tr_share_check_finite(&r, err));
    st = tr_rank_save(&r, r.output_dir, 5, err);
out:
    release_parts(&r);
    return st;
}

static void hashes(const char *dir, char model[65], char optimizer[65])
{
    struct t2_err err = T2_ERR_INIT;
    char *path = t2_path_join(dir, "model-3.safetensors");
    uint64_t n;

    assert_int_equal(t2_sha256_file(path, model, &n, &err), T2_OK);
    t2_free(path);
    path = t2_path_join(dir, "optimizer-3.safetensors");
    assert_int_equal(t2_sha256_file(path, optimizer, &n, &err), T2_OK);
    t2_free(path);
}

static void run(struct job *j, int ranks, char model[65], char optimizer[65])
{
    struct t_rank_result results[MOST_RANKS];
    char dir[4096];

    snprintf(dir, sizeof dir, "%s-%d", t_tmp_path(j->device), ranks);
    j->dir = dir;
    t_run_ranks(ranks, rank_of, j, results);
    t_assert_ranks(ranks, results);
    for (int r = 0; r < ranks; r++)
        assert_true(j->swapped[r]);
    hashes(j->dir, model, optimizer);
}

static void test_same_files(void **state)
{
    static const char *const devices[] = {"cpu", "far"};
    char model[2][65], optimizer[2][65];

    (void) state;
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
        struct job j = {.device = devices[d]};

        run(&j, 1, model[0], optimizer[0]);
        for (int ranks = 2; ranks <= MOST_RANKS; ranks++) {
            run(&j, ranks, model[1], optimizer[1]);
            assert_string_equal(model[0], model[1]);
            assert_string_equal(optimizer[0], optimizer[1]);
        }
    }
}

/* Rank 0 cannot make the folder: the others do not wait for it. */
static void test_nothing_written(void **state)
{
    struct t_rank_result results[2];
    struct job j = {.device = "reference"};
    struct t2_err err = T2_ERR_INIT;
    char dir[4096];

    (void) state;
    snprintf(dir, sizeof dir, "%s", t_tmp_path("in the way"));
    assert_int_equal(t2_write_file(dir, "x", 1, &err), T2_OK);
    j.dir = dir;
    t_run_ranks(2, rank_of, &j, results);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(results[r].status, T2_EIO);
        t_assert_contains(results[r].err.message, "rank 0 on 'host0': checkpoint of step 3: '");
    }
}

/* A slot that is not finite is one rank's, and all hear of it. */
static enum t2_status with_nan(struct dist *dist, void *arg, struct t2_err *err)
{
    struct tr_run r = {.options = {.train = true, .shard_optimizer = true},
                       .dist = dist,
                       .saved_step = -1};
    const float nan = NAN;
    struct opt_slot slot;
    enum t2_status st;

    (void) arg;
    T2_GOTO(st, out, open_parts(&r, "reference", err));
    for (size_t i = 0; i < opt_slot_count(r.opt); i++) {
        slot = opt_slot_at(r.opt, i);
        if (slot.first > 0 || slot.n_here < 3 || dist_rank(dist) == 0)
            continue;
        device_write(r.dev, slot.values + 2, &nan, 1);
        break;
    }
    st = tr_share_check_finite(&r, err);
out:
    release_parts(&r);
    return st;
}

static void test_not_finite(void **state)
{
    struct t_rank_result results[2];

    (void) state;
    t_run_ranks(2, with_nan, NULL, results);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(results[r].status, T2_EFORMAT);
        t_assert_contains(results[r].err.message,
                          "rank 1 on 'host0': element 2 of slot 'training/");
    }
}

T_MAIN(cmocka_unit_test(test_same_files), cmocka_unit_test(test_nothing_written),
       cmocka_unit_test(test_not_finite))
