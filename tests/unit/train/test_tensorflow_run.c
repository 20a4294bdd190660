/* Tests of train/ckpt/tensorflow_run.c: names, flags, hparams; and a folder that continues. */
#include "train/ckpt/tensorflow_run.h"
#include "train/ckpt/warm_start.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "tests/support/t.h"
#include "tests/unit/train/ckpt_run.h"
#include "train/ckpt/bundle.h"

static void test_steps(void **state)
{
    (void) state;
    assert_int_equal(ckpt_tf_step_of_name("model.ckpt-700.index"), 700);
    assert_int_equal(ckpt_tf_step_of_name("model.ckpt-0.index"), 0);
    assert_int_equal(ckpt_tf_step_of_name("ctl_step_2000.ckpt-1.index"), 2000);
    assert_int_equal(ckpt_tf_step_of_name("ckpt-312.index"), 312);
    assert_int_equal(ckpt_tf_step_of_name("model.ckpt-700.meta"), -1);
    assert_int_equal(ckpt_tf_step_of_name("model.ckpt-007.index"), -1);
    assert_int_equal(ckpt_tf_step_of_name("model.ckpt-99999999999999999999.index"), -1);
    assert_int_equal(ckpt_tf_step_of_name("ctl_step_2000.index"), -1);
    assert_int_equal(ckpt_tf_step_of_name("state-7.json"), -1);
}

/* All that a trainer of TensorFlow's would save of the run: variables, slots, its own numbers. */
static void write_bundle(const struct run *r, const char *dir, int64_t step, float beta2_power,
                         const char *extra)
{
    struct ckpt_tensor t[64];
    float *copies[64], one = 1.0F;
    char *prefix = t2_asprintf("%s/model.ckpt-%lld", dir, (long long) step);
    struct t2_err err = T2_ERR_INIT;
    size_t n = 0, n_copies;

    for (int i = 0; i < r->params.n_variables; i++, n++) {
        const struct gr_variable *v = &r->params.variables[i];

        copies[n] = device_floats(r->dev, r->params.values + v->offset, v->n);
        t[n] = (struct ckpt_tensor){v->name, CKPT_F32, v->rank, {0}, (size_t) v->n * 4, copies[n]};
        memcpy(t[n].dims, v->dims, (size_t) v->rank * sizeof *v->dims);
    }
    for (size_t i = 0; i < opt_slot_count(r->o); i++, n++) {
        struct opt_slot s = opt_slot_at(r->o, i);

        copies[n] = device_floats(r->dev, s.values, s.n);
        t[n] = (struct ckpt_tensor){s.name, CKPT_F32, s.rank, {0}, (size_t) s.n * 4, copies[n]};
        memcpy(t[n].dims, s.dims, (size_t) s.rank * sizeof *s.dims);
    }
    n_copies = n;
    t[n++] = (struct ckpt_tensor){"global_step", CKPT_I64, 0, {0}, sizeof step, &step};
    t[n++] = (struct ckpt_tensor){"training/beta2_power", CKPT_F32, 0, {0}, 4, &beta2_power};
    if (extra)
        t[n++] = (struct ckpt_tensor){extra, CKPT_F32, 0, {0}, 4, &one};
    if (ckpt_write_bundle(prefix, t, n, &err) != T2_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < n_copies; i++)
        t2_free(copies[i]);
    t2_free(prefix);
}

static void text(const char *dir, const char *name, const char *content)
{
    char *path = t2_asprintf("%s/%s", dir, name);
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(t2_write_file(path, content, strlen(content), &err), T2_OK);
    t2_free(path);
}

static void test_described(void **state)
{
    const char *dir = t_tmp_path("described");
    struct ckpt_state s;
    struct mdl_hparams *hp = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct run r;

    (void) state;
    run_new(&r, "adam", 4);
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    write_bundle(&r, dir, 12, 0.9F, NULL);
    assert_int_equal(ckpt_load_state(dir, -1, &s, &hp, &err), T2_OK);
    assert_true(s.of_tensorflow);
    assert_int_equal(s.step, 12);
    assert_string_equal(s.model, "");
    assert_null(hp);
    text(dir, "flags_t2t.txt",
         "--model=transformer\n--hparams_set=transformer_tiny\n--problem=p\n--hparams=\n");
    text(dir, "flags.txt", "--model=other\n--random_seed=5\n--schedule=train\n");
    text(dir, "hparams.json", "{\"hidden_size\": 48, \"data_dir\": \"x\", \"bottom\": {}}");
    assert_int_equal(ckpt_load_state(dir, -1, &s, &hp, &err), T2_OK);
    assert_string_equal(s.model, "transformer");
    assert_string_equal(s.problem, "p");
    assert_int_equal(s.seed, 5);
    assert_int_equal(mdl_hp_int(hp, "hidden_size"), 48);
    mdl_hparams_free(hp);
    text(dir, "hparams.json", "{\"hidden_size\": \"many\"}");
    assert_int_equal(ckpt_load_state(dir, -1, &s, &hp, &err), T2_EFORMAT);
    t_assert_contains(err.message, "hparams.json");
    run_release(&r);
}

/* Steps with TensorFlow's checkpoint between them are steps without. */
static void test_continues(void **state)
{
    const char *dir = t_tmp_path("continues");
    struct t2_err err = T2_ERR_INIT;
    struct run a, b;

    (void) state;
    run_new(&a, "adam", 4);
    run_new(&b, "adam", 4);
    run_fill(&a, 5);
    run_fill(&b, 6);
    for (int64_t step = 0; step < 4; step++)
        run_step(&a, step);
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    write_bundle(&a, dir, 4, powf(0.997F, 5), "losses_avg/problem_0/total_loss");
    assert_steps(dir, "4");
    if (ckpt_restore(dir, -1, &b.params, b.o, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(opt_updates(b.o), 4);
    for (int64_t step = 4; step < 7; step++) {
        run_step(&a, step);
        run_step(&b, step);
    }
    assert_equal_runs(&a, &b);
    run_save(&b, dir, 7, 1); /* TensorFlow's is not ours to remove */
    assert_steps(dir, "4 7");
    write_bundle(&a, dir, 100, powf(0.997F, 21), NULL); /* a warm start: fewer updates than steps */
    assert_int_equal(ckpt_restore(dir, 100, &b.params, b.o, &err), T2_OK);
    assert_int_equal(opt_updates(b.o), 20);
    run_release(&a);
    run_release(&b);
}

static void test_refused(void **state)
{
    const char *dir = t_tmp_path("refused");
    struct t2_err err = T2_ERR_INIT;
    struct run a, other;

    (void) state;
    run_new(&a, "adam", 4);
    run_new(&other, "adam", 5);
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    write_bundle(&a, dir, 3, 0.9F, "model/layer_7/kernel");
    assert_int_equal(ckpt_restore(dir, -1, &a.params, NULL, &err), T2_EFORMAT);
    t_assert_contains(err.message, "holds 'model/layer_7/kernel', which the model has not");
    write_bundle(&a, dir, 4, 0.9F, NULL);
    assert_int_equal(ckpt_restore(dir, -1, &other.params, NULL, &err), T2_EFORMAT);
    t_assert_contains(err.message, "'model/kernel' has shape [3, 4]; the model has [3, 5]");
    t_assert_contains(err.message, "model.ckpt-4.index' to continue from step 3");
    run_release(&a);
    run_release(&other);
}

/* What is trained; a state is the run's own. */
static void assert_equal_trainables(struct run *a, struct run *b)
{
    for (int i = 0; i < a->params.n_variables; i++) {
        const struct gr_variable *v = &a->params.variables[i];
        float one[64], other[64];

        assert_true(v->n <= 64);
        device_read(a->dev, one, a->params.values + v->offset, v->n);
        device_read(b->dev, other, b->params.values + v->offset, v->n);
        assert_int_equal(memcmp(one, other, (size_t) v->n * sizeof *one) == 0, v->trainable);
    }
}

static void test_warm_start(void **state)
{
    const char *dir = t_tmp_path("warm");
    char *path = t2_asprintf("%s/model.ckpt-3", dir);
    struct ckpt_warm_start w;
    struct t2_err err = T2_ERR_INIT;
    struct run a, b;

    (void) state;
    run_new(&a, "adam", 4);
    run_new(&b, "sgd", 4); /* slots do not matter */
    run_fill(&a, 1);
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    write_bundle(&a, dir, 3, 0.9F, NULL);
    assert_int_equal(ckpt_warm_start(path, &b.params, &w, &err), T2_OK);
    assert_equal_trainables(&a, &b);
    t2_buf_release(&w.text);
    run_fill(&b, 2);
    assert_int_equal(ckpt_warm_start(dir, &b.params, &w, &err), T2_OK);
    assert_equal_trainables(&a, &b);
    t2_buf_release(&w.text);
    path[strlen(path) - 1] = '9';
    assert_int_equal(ckpt_warm_start(path, &b.params, &w, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "is no checkpoint");
    t2_free(path);
    run_release(&a);
    run_release(&b);
}

T_MAIN(cmocka_unit_test(test_steps), cmocka_unit_test(test_described),
       cmocka_unit_test(test_continues), cmocka_unit_test(test_refused),
       cmocka_unit_test(test_warm_start))
