/* Tests of train/ckpt/lent_values.c: variables used where a file has them, and which files cannot.
 */
#include "train/ckpt/lent_values.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/unit/base/in_child.h"
#include "train/graph/graph.h"

enum { WIDTH = 64, ROWS = 5 };

static struct t2_err err;

/* Another device may run in the place of the CPU. */
static struct dev *open_host(void)
{
    struct dev *d;

    assert_int_equal(dev_open("cpu", 1, &d, &err), T2_OK);
    if (!d->host_memory) {
        dev_close(d);
        t_skip("nothing is lent to a device with memory of its own");
    }
    return d;
}

/* A table of two variables and a vector, of which a row of the table has `width` numbers. */
static void params_new(struct gr_params *p, struct dev *d, int64_t width)
{
    const int64_t table[] = {ROWS, width}, vector[] = {16};

    gr_params_init(p, d);
    p->values_only = true;
    (void) gr_params_get(p, "m/table", 2, table, 2, GR_INIT_ZEROS, 0.0);
    (void) gr_params_get(p, "m/bias", 1, vector, 0, GR_INIT_ZEROS, 0.0);
    assert_int_equal(gr_params_freeze(p, &err), T2_OK);
}

/* Writes the variables as 1, 2, 3, ..., from the `first` of them on and then round. */
static void write_file(const struct gr_params *p, int first, const char *path)
{
    struct ckpt_tensor tensors[3];
    float values[ROWS * WIDTH + 64];

    for (int i = 0; i < ROWS * WIDTH + 64; i++)
        values[i] = (float) (i + 1);
    for (int i = 0; i < 3; i++) {
        const struct gr_variable *v = &p->variables[(first + i) % 3];

        tensors[i] = (struct ckpt_tensor){
            v->name, CKPT_F32, v->rank, {0}, (size_t) v->n * sizeof(float), values + v->offset};
        memcpy(tensors[i].dims, v->dims, (size_t) v->rank * sizeof *v->dims);
    }
    assert_int_equal(ckpt_write(path, tensors, 3, NULL, NULL, 0, NULL, &err), T2_OK);
}

static bool can_lend(const struct gr_params *p, int first)
{
    const char *path = t_tmp_path("values.safetensors");
    struct ckpt_file *f;
    bool can;

    write_file(p, first, path);
    assert_int_equal(ckpt_open(path, &f, &err), T2_OK);
    can = ckpt_can_lend(f, p);
    ckpt_close(f);
    return can;
}

static void test_lent(void **state)
{
    const char *path = t_tmp_path("lent.safetensors");
    struct ckpt_file *f;
    struct gr_params p;
    struct dev *d;
    float *arena;

    (void) state;
    d = open_host();
    params_new(&p, d, WIDTH);
    arena = p.values;
    write_file(&p, 0, path);
    assert_int_equal(ckpt_open(path, &f, &err), T2_OK);
    assert_true(ckpt_can_lend(f, &p));
    ckpt_lend(f, &p);
    ckpt_close(f); /* the map is the params' */
    assert_ptr_not_equal(p.values, arena);
    for (int i = 0; i < ROWS * WIDTH + 16; i++)
        assert_true(p.values[i] == (float) (i + 1) && arena[i] == 0.0F);
    gr_params_own(&p);
    assert_ptr_equal(p.values, arena);
    gr_params_own(&p);
    assert_int_equal(ckpt_open(path, &f, &err), T2_OK);
    assert_true(ckpt_can_lend(f, &p));
    ckpt_lend(f, &p);
    ckpt_close(f);
    gr_params_release(&p); /* and what is lent then */
    dev_close(d);
}

static void own(void *params)
{
    gr_params_own(params);
}

/* A graph that is bound would go on reading what is given back. */
static void test_bound(void **state)
{
    const char *path = t_tmp_path("bound.safetensors");
    const int64_t table[] = {ROWS, WIDTH};
    struct ckpt_file *f;
    struct gr_params p;
    struct gr_graph *g;
    struct dev *d;
    void *arena;

    (void) state;
    d = open_host();
    params_new(&p, d, WIDTH);
    write_file(&p, 0, path);
    g = gr_new(d, &p, false);
    (void) gr_param(g, "m/table", 2, table, 2, GR_INIT_ZEROS, 0.0);
    assert_int_equal(gr_finish(g, NULL, NULL, 0, &err), T2_OK);
    arena = d->alloc(d, g->arena_bytes);
    gr_bind(g, arena);
    gr_bind(g, arena); /* one graph still */
    assert_false(can_lend(&p, 0));
    gr_free(g);
    assert_true(can_lend(&p, 0));
    assert_int_equal(ckpt_open(path, &f, &err), T2_OK);
    assert_true(ckpt_can_lend(f, &p));
    ckpt_lend(f, &p);
    ckpt_close(f);
    g = gr_new(d, &p, false);
    assert_int_equal(gr_finish(g, NULL, NULL, 0, &err), T2_OK);
    gr_bind(g, arena);
    assert_aborts(own, &p, "assertion failed");
    gr_free(g);
    gr_params_own(&p);
    d->free(d, arena);
    gr_params_release(&p);
    dev_close(d);
}

static void test_not_lent(void **state)
{
    struct gr_params p;
    struct dev *d;

    (void) state;
    d = open_host();
    params_new(&p, d, WIDTH);
    assert_true(can_lend(&p, 0));
    assert_false(can_lend(&p, 1)); /* another order */
    p.values_only = false;         /* an optimizer would write them */
    assert_false(can_lend(&p, 0));
    p.values_only = true;
    p.n_laid = 1; /* the device has them in another layout */
    assert_false(can_lend(&p, 0));
    p.n_laid = 0;
    d->host_memory = false;
    assert_false(can_lend(&p, 0));
    d->host_memory = true;
    gr_params_release(&p);
    params_new(&p, d, WIDTH - 1); /* sizes that memory rounds up, and files do not */
    assert_false(can_lend(&p, 0));
    gr_params_release(&p);
    dev_close(d);
}

T_MAIN(cmocka_unit_test(test_lent), cmocka_unit_test(test_bound), cmocka_unit_test(test_not_lent))
