/* Tests of train/graph/late_values.c: which values are made, when, and where. */
#include "train/graph/late_values.h"

#include <pthread.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "train/graph/layouts.h"
#include "train/graph/packs.h"
#include "train/ops/embed.h"
#include "train/ops/linear.h"

enum { ROWS = 3, WIDTH = 12, INNER = 150 };

static struct t2_err err;

/* Element (r,c) of variable v: a number that says where it is.  64 times it are whole numbers of
 * which two neighbours' sizes, in a row or a column, add up to 127, so that as floats they are
 * packed as the same; in some rows of a large table it is more, and they become others. */
static float number_at(const struct gr_variable *v, int64_t r, int64_t c)
{
    int64_t block = v->offset + r / 2 * v->dims[1] + c / 2, q = block * 5 % 128;

    if (v->dims[0] > INNER && r % 16 == 15)
        q = 100 + c % 2 * 27;
    else if ((r + c) % 2 != 0)
        q = 127 - q;
    return (float) (block % 3 == 0 ? -q : q) / 64.0F;
}

struct source {
    int64_t n_rows;           /* that were made so far */
    bool by_rows, by_columns; /* such scales can be given beside whole numbers */
    int64_t n_copied;
    int n_released;
    pthread_mutex_t lock;
};

static void make_rows(void *context, const struct gr_variable *v, int64_t row, int64_t n_rows,
                      float *to)
{
    struct source *s = context;

    for (int64_t r = 0; r < n_rows; r++)
        for (int64_t c = 0; c < v->dims[1]; c++)
            to[r * v->dims[1] + c] = number_at(v, row + r, c);
    pthread_mutex_lock(&s->lock);
    s->n_rows += n_rows;
    pthread_mutex_unlock(&s->lock);
}

/* The same numbers: a scale is a power of two, so that products are exact. */
static bool copy_whole(void *context, const struct gr_variable *v, bool by_rows, int64_t row,
                       int64_t n_rows, int8_t *to, float *scales)
{
    struct source *s = context;

    if (!(by_rows ? s->by_rows : s->by_columns))
        return false;
    s->n_copied += n_rows;
    for (int64_t i = 0; i < (by_rows ? n_rows : v->dims[1]); i++)
        scales[i] = 1.0F / 64.0F;
    for (int64_t r = 0; r < n_rows; r++)
        for (int64_t c = 0; c < v->dims[1]; c++)
            to[r * v->dims[1] + c] = (int8_t) (number_at(v, row + r, c) * 64.0F);
    return true;
}

static void release(void *context)
{
    ((struct source *) context)->n_released++;
}

struct net {
    struct gr_graph *g;
    struct gr_tensor *x, *y;
    void *arena;
};

/* x up + bias, then down; with packs all that is read of the two matrices. */
static void build(struct net *n, struct dev *d, struct gr_params *p, struct gr_packs *packs)
{
    const int64_t x[] = {ROWS, WIDTH}, up[] = {WIDTH, INNER}, down[] = {INNER, WIDTH};
    const int64_t bias[] = {INNER};
    struct gr_graph *g = n->g = gr_new(d, p, false);
    struct gr_tensor *b = gr_param(g, "bias", 1, bias, 0, GR_INIT_ZEROS, 0.0), *h;

    g->packs = packs;
    n->x = gr_floats(g, 2, x);
    h = nn_linear(g, n->x, gr_param(g, "up", 2, up, 0, GR_INIT_ZEROS, 0.0), b, true, 0.0);
    n->y = nn_linear(g, h, gr_param(g, "down", 2, down, 3, GR_INIT_ZEROS, 0.0), NULL, false, 0.0);
    assert_int_equal(gr_finish(g, NULL, &n->y, 1, &err), T2_OK);
}

static void bind(struct net *n, struct dev *d)
{
    n->arena = d->alloc(d, n->g->arena_bytes);
    gr_bind(n->g, n->arena);
}

/* y (ROWS,WIDTH); the graph is gone afterwards. */
static void run(struct net *n, struct dev *d, float *y)
{
    struct gr_context context = {0};
    float x[ROWS * WIDTH];

    t_fill(x, ROWS * WIDTH, 7);
    d->upload_now(d, n->x->value, x, sizeof x);
    gr_run_forward(n->g, &context);
    d->download(d, y, n->y->value, ROWS * WIDTH * sizeof *y);
    d->free(d, n->arena);
    gr_free(n->g);
}

static struct dev *open_host(struct gr_params *p)
{
    struct dev *d;

    assert_int_equal(dev_open("cpu", 2, &d, &err), T2_OK);
    if (!d->host_memory) {
        dev_close(d);
        t_skip("a device with memory of its own has all values at once");
    }
    gr_params_init(p, d);
    p->values_only = true;
    return d;
}

static bool *both_late(const struct gr_params *p)
{
    bool *is_late = t2_alloc((size_t) p->n_params, sizeof *is_late);

    for (int i = 0; i < p->n_params; i++)
        is_late[i] = p->params[i].rank == 2;
    return is_late;
}

/* The variables of such a net, whose matrices `source` is to make. */
static struct dev *open_late(struct gr_params *p, struct source *source)
{
    struct dev *d = open_host(p);
    struct net n;

    build(&n, d, p, NULL);
    gr_free(n.g);
    assert_int_equal(gr_params_freeze(p, &err), T2_OK);
    assert_true(gr_late_possible(p));
    gr_late_begin(p, make_rows, copy_whole, release, source, both_late(p));
    return d;
}

static float first_value(const struct gr_params *p, const char *variable)
{
    return p->values[gr_params_find(p, variable)->offset];
}

/* Packed from late values, read from late values, and all there from the beginning: the same. */
static void test_same_numbers(void **state)
{
    float packed[ROWS * WIDTH], read[ROWS * WIDTH], there[ROWS * WIDTH], *values;
    struct source source = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct gr_packs packs;
    struct gr_params p;
    struct dev *d = open_late(&p, &source);
    struct net n;

    (void) state;
    gr_packs_init(&packs, &p, DEV_FLOAT32);
    build(&n, d, &p, &packs);
    assert_int_equal(gr_late_bytes(&p), 0);
    assert_int_equal(gr_packs_scratch_bytes(&packs), WIDTH * INNER * sizeof(float));
    bind(&n, d);
    assert_int_equal(gr_packs_make(&packs, &err), T2_OK);
    assert_int_equal(gr_packs_scratch_bytes(&packs), 0);
    run(&n, d, packed);
    assert_int_equal(source.n_rows, WIDTH + INNER);
    assert_true(first_value(&p, "up") == 0.0F && first_value(&p, "down_0") == 0.0F);

    build(&n, d, &p, NULL); /* this one reads them */
    assert_int_equal(gr_late_bytes(&p), 2 * WIDTH * INNER * sizeof(float));
    bind(&n, d);
    assert_int_equal(source.n_rows, 2 * (WIDTH + INNER));
    assert_false(gr_late_possible(&p)); /* while a graph is bound */
    run(&n, d, read);
    build(&n, d, &p, NULL); /* and so does this one: they are there */
    bind(&n, d);
    assert_int_equal(source.n_rows, 2 * (WIDTH + INNER));
    run(&n, d, there);
    assert_memory_equal(there, read, sizeof read);
    t_assert_close(packed, read, ROWS * WIDTH, 1e-5, 1e-5);
    values = p.values;
    for (int i = 0; i < p.n_variables; i++)
        if (p.variables[i].rank == 2)
            for (int64_t k = 0, width = p.variables[i].dims[1]; k < p.variables[i].n; k++)
                assert_true(values[p.variables[i].offset + k] ==
                            number_at(&p.variables[i], k / width, k % width));
    gr_packs_release(&packs);
    gr_params_release(&p);
    assert_int_equal(source.n_released, 1);
    dev_close(d);
}

/* Who reads variables one by one, or writes them all, knows nothing of it. */
static void test_others(void **state)
{
    struct source source = {.lock = PTHREAD_MUTEX_INITIALIZER};
    float values[WIDTH * INNER];
    const struct gr_variable *v;
    struct gr_params p;
    struct dev *d = open_late(&p, &source);

    (void) state;
    v = gr_params_find(&p, "up");
    gr_download(&p, v, p.values + v->offset, 0, values, v->n);
    assert_true(values[77] == number_at(v, 77 / v->dims[1], 77 % v->dims[1]));
    gr_params_own(&p); /* somebody will write them */
    assert_int_equal(source.n_released, 1);
    assert_null(p.late);
    assert_int_equal(gr_late_bytes(&p), 0);
    gr_params_release(&p);
    assert_int_equal(source.n_released, 1);
    dev_close(d);
}

enum { TABLE_ROWS = 5000, SHARDS = 3, IDS = 6 };

static struct gr_tensor *table_of(struct gr_graph *g)
{
    return gr_param(g, "table", 2, (const int64_t[]){TABLE_ROWS, WIDTH}, SHARDS, GR_INIT_ZEROS,
                    0.0);
}

/* A table of symbols in three variables, late, which is read and multiplied by. */
static struct dev *open_table(struct gr_params *p, struct source *source)
{
    struct dev *d = open_host(p);
    struct gr_graph *g = gr_new(d, p, false);

    (void) table_of(g);
    gr_free(g);
    assert_int_equal(gr_params_freeze(p, &err), T2_OK);
    gr_late_begin(p, make_rows, copy_whole, release, source, both_late(p));
    return d;
}

static float table_at(const struct gr_params *p, int64_t row, int64_t column)
{
    for (int i = 0; i < p->n_variables; i++) {
        if (row < p->variables[i].dims[0])
            return number_at(&p->variables[i], row, column);
        row -= p->variables[i].dims[0];
    }
    fail_msg("row %d", (int) row);
    return 0.0F;
}

/* Of a table that is read by rows those alone are made, each once, and what packs it does so piece
 * by piece. */
static void test_rows(void **state)
{
    static const int32_t ids[IDS] = {7, 4999, 7, 2, 3400, 0};
    struct source source = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct gr_context context = {0};
    struct gr_packs packs;
    struct gr_params p;
    struct dev *d = open_table(&p, &source);
    struct gr_graph *g = gr_new(d, &p, false);
    struct gr_tensor *table = table_of(g), *x, *in = gr_ids(g, 2, (const int64_t[]){2, IDS / 2});
    struct gr_tensor *out[2];
    float made[IDS * WIDTH];
    void *arena;

    (void) state;
    gr_packs_init(&packs, &p, DEV_INT8);
    g->packs = &packs;
    x = nn_embed(g, &(struct nn_embed){.ids = in, .table = table, .scale = 2.0});
    out[0] = x;
    out[1] = nn_logits(g, x, table);
    assert_int_equal(gr_finish(g, NULL, out, 2, &err), T2_OK);
    assert_int_equal(gr_late_bytes(&p), TABLE_ROWS * WIDTH * sizeof(float));
    assert_in_range(gr_packs_scratch_bytes(&packs), 1, TABLE_ROWS * WIDTH * sizeof(float) / 2);
    arena = d->alloc(d, g->arena_bytes);
    gr_bind(g, arena);
    assert_int_equal(source.n_rows, 0);
    assert_int_equal(gr_packs_make(&packs, &err), T2_OK);
    assert_int_equal(source.n_rows, TABLE_ROWS);
    source.n_rows = 0;
    for (int k = 0; k < 2; k++) {
        d->upload_now(d, in->ids, ids, sizeof ids);
        gr_run_forward(g, &context);
        assert_int_equal(source.n_rows, 5); /* 7 once, and the row of 0 */
    }
    d->download(d, made, x->value, sizeof made);
    for (int i = 0; i < IDS; i++)
        for (int c = 0; c < WIDTH; c++)
            assert_true(made[i * WIDTH + c] ==
                        (ids[i] == 0 ? 0.0F : 2.0F * table_at(&p, ids[i], c)));
    d->free(d, arena);
    gr_free(g);
    gr_packs_release(&packs);
    gr_params_release(&p);
    dev_close(d);
}

/* Pieces and the whole, floats and whole numbers: the same bytes. */
static void check_pieces(enum dev_type type, bool by_rows)
{
    struct source source = {.by_rows = by_rows, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct gr_packs packs[2];
    const struct gr_pack *of[2];
    struct gr_params p;
    struct dev *d = open_table(&p, &source);
    struct gr_graph *g = gr_new(d, &p, false);
    struct gr_tensor *table = table_of(g);
    size_t n_bytes =
        (size_t) d->kernels->pack_scratch_floats(d, type, WIDTH, TABLE_ROWS) * sizeof(float);

    for (int k = 0; k < 2; k++) {
        gr_packs_init(&packs[k], &p, type);
        g->packs = &packs[k];
        of[k] = gr_pack_of(g, table, true, WIDTH, TABLE_ROWS);
        if (k == 1)
            gr_late_make_all(&p);
        assert_int_equal(gr_packs_make(&packs[k], &err), T2_OK);
    }
    assert_memory_equal(of[0]->packed, of[1]->packed, n_bytes);
    assert_int_equal(source.n_copied, by_rows && type == DEV_INT8 ? TABLE_ROWS : 0);
    gr_packs_release(&packs[0]);
    gr_packs_release(&packs[1]);
    gr_free(g);
    gr_params_release(&p);
    dev_close(d);
}

static void test_pieces(void **state)
{
    (void) state;
    check_pieces(DEV_FLOAT32, true); /* whole numbers are no float32 */
    check_pieces(DEV_BFLOAT16, false);
    check_pieces(DEV_INT8, false);
    check_pieces(DEV_INT8, true);
}

/* Matrices that have a scale for each column: the one of one variable is packed from whole numbers,
 * the other, in three, from floats, and what comes out is what floats give. */
static void test_whole_numbers(void **state)
{
    float y[2][ROWS * WIDTH];

    (void) state;
    for (int k = 0; k < 2; k++) {
        struct source source = {.by_columns = k == 1, .lock = PTHREAD_MUTEX_INITIALIZER};
        struct gr_packs packs;
        struct gr_params p;
        struct dev *d = open_late(&p, &source);
        struct net n;

        gr_packs_init(&packs, &p, DEV_INT8);
        build(&n, d, &p, &packs);
        bind(&n, d);
        assert_int_equal(gr_packs_make(&packs, &err), T2_OK);
        run(&n, d, y[k]);
        assert_int_equal(source.n_copied, k == 1 ? WIDTH : 0);
        assert_int_equal(source.n_rows, k == 1 ? INNER : WIDTH + INNER);
        gr_packs_release(&packs);
        gr_params_release(&p);
        dev_close(d);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
}

T_MAIN(cmocka_unit_test(test_same_numbers), cmocka_unit_test(test_others),
       cmocka_unit_test(test_rows), cmocka_unit_test(test_pieces),
       cmocka_unit_test(test_whole_numbers))
