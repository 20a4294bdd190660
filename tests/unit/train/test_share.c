/*
 * test_share.c - shares of an optimizer's state: together they are the whole, to the bit, and take
 * its memory between them.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/device_floats.h"
#include "tests/support/t.h"
#include "train/device/kernels.h"
#include "train/graph/layouts.h"
#include "train/optim/optimizer.h"

enum { MOST_SHARES = 7, STEPS = 3 };

/* One rank's. */
struct rank {
    struct dev *dev;
    struct gr_params params;
    struct opt_optimizer *o;
};

/* A variable of several pieces, a table in shards, small ones, a state between them. */
static void rank_open(struct rank *r, const char *device, const struct mdl_hparams *hp,
                      struct opt_share share)
{
    const int64_t big[] = {2 * DEV_PIECE_FLOATS + 100}, table[] = {5, 3}, bias[] = {7};
    const int64_t mean[] = {9};
    struct t2_err err = T2_ERR_INIT;

    memset(r, 0, sizeof *r);
    assert_int_equal(dev_open(device, 1, &r->dev, &err), T2_OK);
    gr_params_init(&r->params, r->dev);
    (void) gr_params_get(&r->params, "model/bias", 1, bias, 0, GR_INIT_ZEROS, 0.0);
    (void) gr_params_get(&r->params, "model/body/big", 1, big, 0, GR_INIT_ZEROS, 0.0);
    (void) gr_params_get_state(&r->params, "model/mean", 1, mean, GR_INIT_ZEROS, 0.0);
    (void) gr_params_get(&r->params, "model/table", 2, table, 2, GR_INIT_ZEROS, 0.0);
    assert_int_equal(gr_params_freeze(&r->params, &err), T2_OK);
    device_fill(r->dev, r->params.values, r->params.n_floats, 1);
    if (opt_new_share(hp, &r->params, share, &r->o, &err) != T2_OK)
        fail_msg("%s", err.message);
    opt_set_seed(r->o, 3);
    opt_start_averages(r->o);
}

static void rank_close(struct rank *r)
{
    opt_free(r->o);
    gr_params_release(&r->params);
    dev_close(r->dev);
}

static void step(struct rank *r, int64_t number)
{
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;

    device_fill(r->dev, r->params.grads, r->params.n_floats, 10 + (uint64_t) number);
    if (opt_step(r->o, number, STEPS, &report, &err) != T2_OK)
        fail_msg("%s", err.message);
}

/* What each rank has of the values, to all. */
static void gather(struct rank *ranks, int n)
{
    for (int k = 0; k < n; k++) {
        int64_t first, end;
        float *part;

        opt_share_floats(&ranks[k].params, (struct opt_share){k, n}, &first, &end);
        if (first == end)
            continue;
        part = device_floats(ranks[k].dev, ranks[k].params.values + first, end - first);
        for (int i = 0; i < n; i++)
            device_write(ranks[i].dev, ranks[i].params.values + first, part, end - first);
        free(part);
    }
}

static void assert_same_values(const struct rank *whole, const struct rank *ranks, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < whole->params.n_variables; i++) {
            const struct gr_variable *v = &whole->params.variables[i];

            device_assert_same(whole->dev, whole->params.values + v->offset, ranks[k].dev,
                               ranks[k].params.values + v->offset, v->n);
        }
}

/* Elements first .. end - 1 of a slot, of which a rank has them. */
static void read_slot(const struct rank *r, size_t i, int64_t first, int64_t end, float *to)
{
    struct opt_slot s = opt_slot_at(r->o, i);

    assert_true(first >= s.first && end <= s.first + s.n_here);
    gr_download(&r->params, s.like, s.values, first - s.first, to, end - first);
}

/* Every element of a slot has one owner, and is that of the whole. */
static void assert_same_slots(const struct rank *whole, const struct rank *ranks, int n)
{
    for (size_t i = 0; i < opt_slot_count(whole->o); i++) {
        int64_t n_all = opt_slot_at(whole->o, i).n, at = 0, first, end;
        float *all = t2_alloc((size_t) n_all, sizeof *all);
        float *part = t2_alloc((size_t) n_all, sizeof *part);

        opt_part_of_slot(whole->o, i, 0, &first, &end);
        assert_int_equal(first, 0);
        assert_int_equal(end, n_all);
        read_slot(whole, i, 0, n_all, all);
        for (int k = 0; k < n; k++) {
            opt_part_of_slot(ranks[k].o, i, k, &first, &end);
            if (first == end)
                continue;
            assert_int_equal(first, at);
            read_slot(&ranks[k], i, first, end, part);
            assert_memory_equal(part, all + first, (size_t) (end - first) * sizeof *part);
            at = end;
        }
        assert_int_equal(at, n_all);
        t2_free(all);
        t2_free(part);
    }
}

static void check(const char *device, const char *overrides, int n)
{
    struct rank whole, ranks[MOST_SHARES];
    struct mdl_hparams *hp = NULL;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(mdl_hparams_new("basic_1", &hp, &err), T2_OK);
    if (mdl_hparams_override(hp, overrides, &err) != T2_OK)
        fail_msg("%s", err.message);
    rank_open(&whole, device, hp, (struct opt_share){0, 1});
    for (int k = 0; k < n; k++)
        rank_open(&ranks[k], device, hp, (struct opt_share){k, n});
    for (int64_t i = 0; i < STEPS; i++) {
        step(&whole, i);
        for (int k = 0; k < n; k++)
            step(&ranks[k], i);
        gather(ranks, n);
        assert_same_values(&whole, ranks, n);
    }
    assert_same_slots(&whole, ranks, n);
    /* averages in place of the values, and back */
    for (int k = 0; k < n; k++)
        assert_true(opt_swap_averages(ranks[k].o) ==
                    (k == 0 ? opt_swap_averages(whole.o)
                            : opt_slot_count(whole.o) > 0 && strstr(overrides, "average")));
    gather(ranks, n);
    assert_same_values(&whole, ranks, n);
    for (int k = 0; k < n; k++)
        rank_close(&ranks[k]);
    rank_close(&whole);
    mdl_hparams_free(hp);
}

static const char rest[] =
    ",weight_decay=0.1,clip_grad_norm=0.5,"
    "optimizer_multistep_accumulate_steps=2,lookahead_steps=2,moving_average_decay=0.9";

static void test_methods(void **state)
{
    static const char *const names[] = {
#define METHOD(name) #name,
#include "train/optim/methods.def"
    };
    char overrides[256];

    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], "adafactor") == 0 || strcmp(names[i], "lars") == 0 ||
            strcmp(names[i], "yellow_fin") == 0)
            continue;
        snprintf(overrides, sizeof overrides, "optimizer=%s%s", names[i], rest);
        check("cpu", overrides, 3);
    }
}

static void test_devices_and_counts(void **state)
{
    char overrides[256];

    (void) state;
    snprintf(overrides, sizeof overrides, "optimizer=adam,grad_noise_scale=0.01,weight_noise=0.1%s",
             rest);
    check("reference", overrides, 2);
    check("far", overrides, 2);
    check("cpu", overrides, MOST_SHARES); /* some have nothing */
    check("cpu", "optimizer=adam", 1);
}

static void test_refused(void **state)
{
    static const char *const names[] = {"Adafactor", "LARS", "YellowFin"};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;
    struct opt_optimizer *o;
    struct opt_bytes bytes;
    struct rank r;

    (void) state;
    assert_int_equal(mdl_hparams_new("basic_1", &hp, &err), T2_OK);
    rank_open(&r, "reference", hp, (struct opt_share){0, 1});
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mdl_hp_set_string(hp, "optimizer", names[i]);
        assert_int_equal(opt_new_share(hp, &r.params, (struct opt_share){1, 2}, &o, &err),
                         T2_EUNSUPPORTED);
        t_assert_contains(err.message, "leave --shard_optimizer out");
        assert_int_equal(opt_plan_share(hp, &r.params, (struct opt_share){1, 2}, &bytes, &err),
                         T2_EUNSUPPORTED);
        assert_int_equal(opt_plan_share(hp, &r.params, (struct opt_share){0, 1}, &bytes, &err),
                         T2_OK);
    }
    rank_close(&r);
    mdl_hparams_free(hp);
}

/* Parts follow each other and cover all; the plan is what is taken, and a part takes a part. */
static void test_memory(void **state)
{
    struct opt_bytes whole, part;
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;
    struct rank r;
    int64_t at = 0;

    (void) state;
    assert_int_equal(mdl_hparams_new("basic_1", &hp, &err), T2_OK);
    assert_int_equal(
        mdl_hparams_override(hp, "optimizer=adam,moving_average_decay=0.9,lookahead_steps=2", &err),
        T2_OK);
    rank_open(&r, "far", hp, (struct opt_share){0, 1});
    assert_int_equal(opt_plan(hp, &r.params, &whole, &err), T2_OK);
    for (int k = 0; k < 3; k++) {
        uint64_t before = r.dev->memory(r.dev).used_bytes;
        struct opt_optimizer *o;
        int64_t first, end;

        opt_share_floats(&r.params, (struct opt_share){k, 3}, &first, &end);
        assert_int_equal(first, at);
        assert_true(end > first);
        at = end;
        assert_int_equal(opt_plan_share(hp, &r.params, (struct opt_share){k, 3}, &part, &err),
                         T2_OK);
        assert_int_equal(part.n_slots, whole.n_slots);
        assert_int_equal(part.averages, 2 * (uint64_t) (end - first) * sizeof(float));
        assert_true(part.slots < whole.slots * 2 / 3);
        assert_int_equal(opt_new_share(hp, &r.params, (struct opt_share){k, 3}, &o, &err), T2_OK);
        if (strcmp(r.dev->name, "far") == 0)
            assert_int_equal(r.dev->memory(r.dev).used_bytes - before, part.slots + part.averages);
        opt_free(o);
    }
    assert_int_equal(at, r.params.n_floats);
    rank_close(&r);
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_methods), cmocka_unit_test(test_devices_and_counts),
       cmocka_unit_test(test_refused), cmocka_unit_test(test_memory))
