/*
 * tests/unit/train/test_alignment.c - all device memory begins at multiples of DEV_ALIGN_BYTES:
 * tensors, scratch, parameters, slots, caches; and what optimizers take of it is their plan.
 */
#include <stdio.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/unit/train/tiny_model.h"
#include "train/models/search_graphs.h"
#include "train/optim/optimizer.h"

static struct t2_err err;

static void check(const void *p)
{
    assert_int_equal((uintptr_t) p % DEV_ALIGN_BYTES, 0);
}

static void check_offset(size_t offset)
{
    if (offset != GR_NO_PLACE)
        assert_int_equal(offset % DEV_ALIGN_BYTES, 0);
}

/* Of a bound graph. */
static void check_graph(const struct gr_graph *g)
{
    check(g->arena);
    check(g->step);
    assert_int_equal(g->arena_bytes % DEV_ALIGN_BYTES, 0);
    for (int i = 0; i < g->n_tensors; i++) {
        check(g->tensors[i]->value);
        check(g->tensors[i]->grad);
        check(g->tensors[i]->ids);
    }
    for (int i = 0; i < g->n_nodes; i++) {
        check_offset(g->nodes[i]->scratch_fwd_offset);
        check_offset(g->nodes[i]->scratch_bwd_offset);
    }
}

static void check_params(const struct gr_params *p)
{
    check(p->values);
    check(p->grads);
    for (int i = 0; i < p->n_params; i++)
        assert_int_equal((uint64_t) p->params[i].offset * sizeof(float) % DEV_ALIGN_BYTES, 0);
}

static void test_graphs(void **state)
{
    static const char *const devices[] = {"reference", "cpu", "far"};

    (void) state;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        static const struct mdl_shape shape = {.batch = 3, .inputs_length = 7, .targets_length = 5};
        struct dev *d = op_device(devices[i], 1);
        struct mdl *m = tiny_model(d, "hidden_size=6,num_heads=1", &tiny_translation, MDL_TRAIN);
        struct mdl_graph *g;

        for (int remat = 0; remat < 2; remat++) {
            mdl_drop_graphs(m);
            m->remat = remat;
            assert_int_equal(mdl_get_graph(m, MDL_USE_TRAIN, &shape, &g, &err), T2_OK);
            check_graph(g->g);
        }
        assert_int_equal(mdl_get_graph(m, MDL_USE_EVAL, &shape, &g, &err), T2_OK);
        check_graph(g->g);
        check_params(&m->params);
        mdl_free(m);
    }
}

static void test_searches(void **state)
{
    static const struct mdl_search_shape shape = {2, 3, 7, 5, 0, 0};
    struct mdl *m =
        tiny_model(op_device("cpu", 1), "hidden_size=6,num_heads=1", &tiny_translation, MDL_EVAL);
    struct mdl_search_graphs *g;
    struct mdl_searches s;

    (void) state;
    mdl_searches_init(&s, m, NULL);
    s.choice.n = 6;
    assert_int_equal(mdl_searches_get(&s, &shape, &g, &err), T2_OK);
    check_graph(g->encode.g);
    check_graph(g->step.g);
    check(g->choice);
    check_offset(g->caches_offset);
    mdl_searches_release(&s);
    mdl_free(m);
}

/* Slots that do not begin with a shard, which follows the one before it without a gap. */
static void check_slots(const struct opt_optimizer *o)
{
    for (size_t i = 0; i < opt_slot_count(o); i++) {
        struct opt_slot s = opt_slot_at(o, i);

        if (!strstr(s.name, "/weights_") || strstr(s.name, "/weights_0"))
            check(s.values);
    }
}

/* False: device far is another one, whose blocks may end at a guard page. */
static bool check_optimizer(const char *name)
{
    struct dev *d = NULL;
    struct opt_bytes plan;
    struct opt_optimizer *o;
    struct mdl_hparams *hp;
    struct mdl *m;
    char overrides[192];
    uint64_t before;

    snprintf(overrides, sizeof overrides,
             "hidden_size=6,num_heads=1,optimizer=%s,moving_average_decay=0.9,lookahead_steps=2,"
             "optimizer_multistep_accumulate_steps=2",
             name);
    assert_int_equal(dev_open("far", 1, &d, &err), T2_OK);
    if (strcmp(d->name, "far") != 0) {
        dev_close(d);
        return false;
    }
    hp = tiny_hparams(overrides);
    m = tiny_model(d, "hidden_size=6,num_heads=1", &tiny_translation, MDL_TRAIN);
    before = d->memory(d).used_bytes;
    if (opt_plan(hp, &m->params, &plan, &err) != T2_OK)
        fail_msg("%s: %s", name, err.message);
    assert_int_equal(d->memory(d).used_bytes, before);
    assert_int_equal(opt_new(hp, &m->params, &o, &err), T2_OK);
    assert_int_equal(d->memory(d).used_bytes - before, plan.slots + plan.averages);
    assert_int_equal(plan.averages, 2 * (uint64_t) m->params.n_floats * sizeof(float));
    assert_int_equal(opt_slot_count(o), plan.n_slots);
    check_slots(o);
    opt_free(o);
    mdl_free(m);
    mdl_hparams_free(hp);
    dev_close(d);
    return true;
}

static void test_optimizers(void **state)
{
    static const char *const names[] = {
#define METHOD(name) #name,
#include "train/optim/methods.def"
    };

    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!check_optimizer(names[i]))
            t_skip("device far is another one");
}

T_MAIN(cmocka_unit_test(test_graphs), cmocka_unit_test(test_searches),
       cmocka_unit_test(test_optimizers))
