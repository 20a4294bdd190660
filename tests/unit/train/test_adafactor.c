/* Tests of train/optim/adafactor.c against its formulas in double, per variable. */
#include <math.h>

#include "tests/support/t.h"
#include "tests/unit/train/optim_steps.h"

enum { MAX = 1024 };

/* A variable of `matrices` matrices and its state in double. */
struct reference {
    int64_t matrices, rows, cols, n;
    bool factored;
    double x[MAX], vr[MAX], vc[MAX], v[MAX], m[MAX];
};

struct options {
    double beta1, threshold, rate;
    bool factored, by_scale, adam_decay;
};

static double rms(const double *x, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum / (double) n);
}

static void factored_update(struct reference *r, const double *g, double rho, double *u)
{
    for (int64_t k = 0; k < r->matrices; k++) {
        double *vr = r->vr + k * r->rows, *vc = r->vc + k * r->cols, mean = 0;
        const double *gk = g + k * r->rows * r->cols;

        for (int64_t i = 0; i < r->rows; i++) {
            double sum = 0;

            for (int64_t j = 0; j < r->cols; j++)
                sum += gk[i * r->cols + j] * gk[i * r->cols + j] + 1e-30;
            vr[i] = rho * vr[i] + (1 - rho) * sum / (double) r->cols;
            mean += vr[i] / (double) r->rows;
        }
        for (int64_t j = 0; j < r->cols; j++) {
            double sum = 0;

            for (int64_t i = 0; i < r->rows; i++)
                sum += gk[i * r->cols + j] * gk[i * r->cols + j] + 1e-30;
            vc[j] = rho * vc[j] + (1 - rho) * sum / (double) r->rows;
        }
        for (int64_t i = 0; i < r->rows * r->cols; i++)
            u[k * r->rows * r->cols + i] = gk[i] / sqrt(vr[i / r->cols] / mean * vc[i % r->cols]);
    }
}

static void reference_step(struct reference *r, const double *g, int64_t t, const struct options *o)
{
    double k = (double) t + 1, u[MAX], scale = o->rate, clip;
    double rho =
        o->adam_decay ? 0.999 * (1 - pow(0.999, k - 1)) / (1 - pow(0.999, k)) : 1 - pow(k, -0.8);

    if (o->by_scale)
        scale *= fmax(rms(r->x, r->n), 1e-3);
    if (r->factored) {
        factored_update(r, g, rho, u);
    } else {
        for (int64_t i = 0; i < r->n; i++) {
            r->v[i] = rho * r->v[i] + (1 - rho) * (g[i] * g[i] + 1e-30);
            u[i] = g[i] / sqrt(r->v[i]);
        }
    }
    clip = fmax(1, rms(u, r->n) / o->threshold);
    for (int64_t i = 0; i < r->n; i++) {
        double step = scale * u[i] / clip;

        r->m[i] = o->beta1 * r->m[i] + (1 - o->beta1) * step;
        r->x[i] -= r->m[i];
    }
}

static void init_reference(struct reference *r, const struct steps *s, int v, bool factored)
{
    const struct gr_variable *w = &s->params.variables[v];

    memset(r, 0, sizeof *r);
    r->matrices = w->rank == 3 ? w->dims[0] : 1;
    r->rows = w->rank >= 2 ? w->dims[w->rank - 2] : 1;
    r->cols = w->dims[w->rank - 1];
    r->n = w->n;
    r->factored = factored && w->rank >= 2;
    for (int64_t i = 0; i < w->n; i++)
        r->x[i] = (double) s->x[w->offset + i];
}

static void compare(const char *overrides, struct options o)
{
    static struct reference refs[8];
    struct steps s;

    steps_new(&s, overrides);
    for (int v = 0; v < s.params.n_variables; v++)
        init_reference(&refs[v], &s, v, o.factored);
    for (int64_t t = 0; t < 6; t++) {
        steps_fill_grads(&s, t);
        for (int v = 0; v < s.params.n_variables; v++) {
            double g[MAX];

            for (int64_t i = 0; i < refs[v].n; i++)
                g[i] = (double) s.g[s.params.variables[v].offset + i];
            reference_step(&refs[v], g, t, &o);
        }
        steps_run(&s);
        for (int v = 0; v < s.params.n_variables; v++) {
            float expected[MAX];

            for (int64_t i = 0; i < refs[v].n; i++)
                expected[i] = (float) refs[v].x[i];
            t_assert_close(s.x + s.params.variables[v].offset, expected, (size_t) refs[v].n, 2e-6,
                           1e-5);
        }
    }
    steps_release(&s);
}

static void test_options(void **state)
{
    const struct options usual = {.threshold = 1, .rate = 0.01, .factored = true, .by_scale = true};
    struct options o;

    (void) state;
    compare("optimizer=Adafactor", usual);
    o = usual;
    o.beta1 = 0.9;
    compare("optimizer=adafactor,optimizer_adafactor_beta1=0.9", o);
    o = usual;
    o.adam_decay = true;
    compare("optimizer=adafactor,optimizer_adafactor_decay_type=adam", o);
    o = usual;
    o.factored = o.by_scale = false;
    compare("optimizer=adafactor,optimizer_adafactor_factored=false,"
            "optimizer_adafactor_multiply_by_parameter_scale=false",
            o);
    o = usual;
    o.threshold = 0.3;
    compare("optimizer=adafactor,optimizer_adafactor_clipping_threshold=0.3", o);
}

static void test_slots(void **state)
{
    struct steps s;
    struct opt_slot slot;

    (void) state;
    steps_new(&s, "optimizer=adafactor,optimizer_adafactor_beta1=0.9");
    assert_int_equal(opt_slot_count(s.o), 2 + 3 + 3 + 3 + 3 + 2);
    slot = opt_slot_at(s.o, 5);
    assert_string_equal(slot.name, "training/b/kernel/Adafactor");
    assert_int_equal(slot.n, 42);
    slot = opt_slot_at(s.o, 6);
    assert_string_equal(slot.name, "training/b/kernel/Adafactor_1");
    assert_int_equal(slot.rank, 2);
    assert_int_equal(slot.dims[1], 3);
    slot = opt_slot_at(s.o, 7);
    assert_string_equal(slot.name, "training/b/kernel/Adafactor_2");
    assert_int_equal(slot.dims[0], 2);
    assert_int_equal(slot.dims[1], 7);
    steps_release(&s);
}

/* All-zero gradients, as of a row of an embedding that no batch has touched. */
static void test_zero_gradients(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct steps s;
    float before;

    (void) state;
    steps_new(&s, "optimizer=adafactor");
    before = s.x[0];
    assert_int_equal(opt_step(s.o, 0, 10, &report, &err), T2_OK);
    steps_get(&s);
    assert_true(s.x[0] == before);
    assert_true(isfinite(s.x[s.params.variables[1].offset]));
    steps_release(&s);
}

/* A table of two rows in three shards: the last one has slots, which stay zero. */
static void test_shard_without_rows(void **state)
{
    const int64_t dims[2] = {2, 4};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;
    struct opt_optimizer *o = NULL;
    struct opt_report report;
    struct gr_params p;
    struct dev *d = NULL;
    struct opt_slot slot = {0};
    float means[4];

    (void) state;
    assert_int_equal(dev_open("reference", 1, &d, &err), T2_OK);
    gr_params_init(&p, d);
    gr_params_get(&p, "table", 2, dims, 3, GR_INIT_ZEROS, 0.0);
    assert_int_equal(gr_params_freeze(&p, &err), T2_OK);
    assert_int_equal(p.variables[2].n, 0);
    assert_int_equal(mdl_hparams_new("basic_1", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, "optimizer=Adafactor", &err), T2_OK);
    assert_int_equal(opt_new(hp, &p, &o, &err), T2_OK);
    assert_int_equal(opt_step(o, 0, 10, &report, &err), T2_OK);
    assert_int_equal(opt_slot_count(o), 6);
    slot = opt_slot_at(o, 5);
    assert_string_equal(slot.name, "training/table_2/Adafactor_1");
    device_read(d, means, slot.values, 4);
    for (int i = 0; i < 4; i++)
        assert_true(means[i] == 0.0F);
    opt_free(o);
    mdl_hparams_free(hp);
    gr_params_release(&p);
    dev_close(d);
}

static void test_refused(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct steps s;

    (void) state;
    assert_int_equal(steps_try(&s, "reference", 1,
                               "optimizer=adafactor,optimizer_adafactor_decay_type=x", &err),
                     T2_EUSAGE);
    t_assert_contains(err.message, "'optimizer_adafactor_decay_type' must be pow or adam, not 'x'");
    steps_release(&s);
    assert_int_equal(steps_try(&s, "reference", 1,
                               "optimizer=adafactor,optimizer_adafactor_clipping_threshold=0",
                               &err),
                     T2_EUSAGE);
    t_assert_contains(err.message, "'optimizer_adafactor_clipping_threshold' must be above 0");
    steps_release(&s);
}

T_MAIN(cmocka_unit_test(test_options), cmocka_unit_test(test_slots),
       cmocka_unit_test(test_zero_gradients), cmocka_unit_test(test_shard_without_rows),
       cmocka_unit_test(test_refused))
