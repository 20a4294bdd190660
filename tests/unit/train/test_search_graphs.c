/*
 * tests/unit/train/test_search_graphs.c - memory of searches is what their plan says; a shape that
 * comes again builds nothing; the least recently used graphs make room.
 */
#include "train/models/search_graphs.h"

#include "tests/unit/train/tiny_model.h"

/* ---- a device that counts ---- */

static uint64_t taken; /* bytes of all blocks */

static void *(*device_alloc)(struct dev *d, size_t bytes);

static void *counting_alloc(struct dev *d, size_t bytes)
{
    taken += bytes;
    return device_alloc(d, bytes);
}

static void count_on(struct dev *d)
{
    device_alloc = d->alloc;
    d->alloc = counting_alloc;
    taken = 0;
}

/* A search of some steps, with a reordering that uses both sides of the caches; the last logits. */
static void search(struct mdl_decoder *d, const struct mdl_search_shape *shape, float *last)
{
    int32_t inputs[64], ids[16], from[16], rows = shape->batch * shape->beam;
    struct t2_err err = T2_ERR_INIT;
    const float *logits = NULL;

    tiny_ids(inputs, shape->batch, shape->inputs_length, 5);
    for (int32_t r = 0; r < rows; r++) {
        ids[r] = 2 + r % 7;
        from[r] = r / shape->beam * shape->beam;
    }
    assert_int_equal(mdl_decoder_begin(d, shape, inputs, &err), T2_OK);
    for (int32_t step = 0; step < shape->max_length; step++) {
        assert_int_equal(mdl_decoder_step(d, step, ids, &logits, &err), T2_OK);
        if (step + 1 < shape->max_length)
            assert_int_equal(mdl_decoder_reorder(d, from, &err), T2_OK);
    }
    memcpy(last, logits, (size_t) rows * TINY_VOCAB * sizeof *last);
}

static const struct mdl_search_shape shapes[] = {{2, 3, 6, 9, 0, 0},
                                                 {1, 1, 3, 5, 0, 0},
                                                 {4, 2, 6, 7, 0, 0},
                                                 {2, 3, 5, 9, 0, 0}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

/* The plan is what is allocated, but for the graphs, which are malloc's; and the first answer of a
 * plan is the later one's. */
static void test_plan_is_what_is_taken(void **state)
{
    (void) state;
    OP_NEEDS_CPU();
    for (int i = 0; i < N_SHAPES; i++) {
        struct mdl *m = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_EVAL);
        struct t2_err err = T2_ERR_INIT;
        struct dev_bytes planned, again;
        uint64_t graphs;
        struct mdl_search_graphs *g;
        struct mdl_searches s;

        assert_int_equal(mdl_reserve_positions(m, 9, &err), T2_OK);
        mdl_searches_init(&s, m, NULL);
        count_on(m->dev);
        assert_int_equal(mdl_searches_plan(&s, &shapes[i], &planned, &err), T2_OK);
        assert_int_equal(taken, 0); /* a plan takes nothing */
        assert_int_equal(mdl_searches_get(&s, &shapes[i], &g, &err), T2_OK);
        m->dev->alloc = device_alloc;
        graphs = g->graph_bytes;
        assert_true(s.packs->bytes > 0);
        assert_int_equal(planned.host, taken + graphs);
        assert_int_equal(planned.device, 0);
        assert_int_equal(taken, g->encode.g->arena_bytes + g->step.g->arena_bytes +
                                    (g->block_bytes - g->caches_offset) + s.packs->bytes);
        assert_int_equal(mdl_searches_plan(&s, &shapes[i], &again, &err), T2_OK);
        assert_int_equal(again.host, planned.host);
        mdl_searches_release(&s);
        mdl_free(m);
    }
}

/* Searches and logits of a model multiply by the same packs, which go with their last user. */
static void test_one_pack_of_each_weight(void **state)
{
    static float last[6 * TINY_VOCAB];
    struct mdl_decoder *one, *other;
    struct t2_err err = T2_ERR_INIT;
    const struct mdl_shape shape = {.batch = 2, .inputs_length = 6, .targets_length = 9};
    uint64_t bytes, arena;
    struct mdl *m;

    (void) state;
    OP_NEEDS_CPU();
    m = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_EVAL);
    assert_int_equal(mdl_decoder_new(m, NULL, &one, &err), T2_OK);
    search(one, &shapes[0], last);
    bytes = mdl_packs_bytes(m);
    assert_true(bytes > 0);
    assert_int_equal(mdl_decoder_new(m, NULL, &other, &err), T2_OK);
    search(other, &shapes[0], last);
    mdl_pack_weights(m);
    assert_int_equal(mdl_plan_logits(m, &shape, &arena, &err), T2_OK);
    assert_int_equal(mdl_packs_bytes(m), bytes);
    mdl_decoder_free(one);
    search(other, &shapes[0], last); /* they are still there */
    mdl_decoder_free(other);
    assert_int_equal(mdl_packs_bytes(m), bytes);
    mdl_free(m);

    m = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_EVAL);
    assert_int_equal(mdl_decoder_new(m, NULL, &one, &err), T2_OK);
    search(one, &shapes[0], last);
    mdl_decoder_free(one);
    assert_int_equal(mdl_packs_bytes(m), 0); /* parameters may change */
    mdl_free(m);
}

/* Every shape builds its two graphs once, whatever comes between. */
static void test_graphs_are_kept(void **state)
{
    struct mdl *m = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_EVAL);
    static float first[N_SHAPES][16 * TINY_VOCAB], again[16 * TINY_VOCAB];
    struct t2_err err = T2_ERR_INIT;
    struct mdl_decoder *d;
    struct dev_bytes bytes;

    (void) state;
    assert_int_equal(mdl_decoder_new(m, NULL, &d, &err), T2_OK);
    assert_int_equal(mdl_decoder_plan(d, &shapes[0], &bytes, &err), T2_OK);
    assert_int_equal(mdl_decoder_n_built(d), 2);
    for (int i = 0; i < N_SHAPES; i++) {
        search(d, &shapes[i], first[i]);
        assert_int_equal(mdl_decoder_n_built(d), 2 * (i + 1));
    }
    for (int i = 0; i < 2 * N_SHAPES; i++) {
        const struct mdl_search_shape *s = &shapes[i % N_SHAPES];

        search(d, s, again);
        assert_memory_equal(again, first[i % N_SHAPES],
                            (size_t) (s->batch * s->beam) * TINY_VOCAB * sizeof *again);
    }
    assert_int_equal(mdl_decoder_n_built(d), 2 * N_SHAPES);
    mdl_decoder_free(d);
    mdl_free(m);
}

/* With room for one shape's graphs beside the block: the others are built again, and say the same;
 * what is held is never above the limit. */
static void test_room(void **state)
{
    struct mdl *m = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_EVAL);
    struct mdl_search_graphs *g;
    struct t2_err err = T2_ERR_INIT;
    struct mdl_searches s;
    struct dev_bytes limit = {0, 0}, bytes;
    uint64_t held;

    (void) state;
    OP_NEEDS_CPU();
    mdl_searches_init(&s, m, NULL);
    for (int i = 0; i < N_SHAPES; i++) {
        assert_int_equal(mdl_searches_plan(&s, &shapes[i], &bytes, &err), T2_OK);
        limit.host = bytes.host > limit.host ? bytes.host : limit.host;
    }
    mdl_searches_release(&s);
    mdl_searches_init(&s, m, &limit);
    for (int i = 0; i < 3 * N_SHAPES; i++) {
        assert_int_equal(mdl_searches_get(&s, &shapes[i % N_SHAPES], &g, &err), T2_OK);
        held = s.block_bytes + s.packs->bytes;
        for (int k = 0; k < s.n_shapes; k++)
            held += s.shapes[k].graphs ? s.shapes[k].graphs->graph_bytes : 0;
        assert_true(held <= limit.host);
    }
    assert_true(s.n_built > 2 * N_SHAPES);
    mdl_searches_release(&s);
    mdl_free(m);
}

/* Beyond the limit nothing is kept, and where the caches alone are beyond it nothing is built. */
static void test_beyond_the_limit(void **state)
{
    struct mdl *m = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_EVAL);
    const struct mdl_search_shape huge = {1 << 20, 4, 1000, 1 << 28, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_searches s;
    struct dev_bytes bytes;

    (void) state;
    OP_NEEDS_CPU();
    mdl_searches_init(&s, m, &(struct dev_bytes){0, 20000});
    assert_int_equal(mdl_searches_plan(&s, &huge, &bytes, &err), T2_OK);
    assert_true(bytes.host > 20000);
    assert_int_equal(s.n_built, 0);
    assert_int_equal(mdl_searches_plan(&s, &shapes[1], &bytes, &err), T2_OK);
    assert_true(bytes.host > 20000);
    assert_int_equal(s.n_built, 2);
    for (int i = 0; i < s.n_shapes; i++)
        assert_null(s.shapes[i].graphs);
    mdl_searches_release(&s);
    mdl_free(m);
}

/* More shapes than are remembered. */
static void test_many_shapes(void **state)
{
    struct mdl *m =
        tiny_model(op_device("cpu", 1), "num_hidden_layers=1", &tiny_translation, MDL_EVAL);
    struct t2_err err = T2_ERR_INIT;
    struct mdl_searches s;
    struct dev_bytes bytes;
    uint64_t first = 0;

    (void) state;
    mdl_searches_init(&s, m, NULL);
    for (int32_t n = 1; n <= 600; n++) {
        struct mdl_search_shape shape = {1, 1, n % 250 + 1, n / 250 + 1, 0, 0};

        assert_int_equal(mdl_searches_plan(&s, &shape, &bytes, &err), T2_OK);
        first = n == 1 ? bytes.host : first;
    }
    assert_true(s.n_shapes < 600);
    assert_int_equal(s.n_built, 2 * 600);
    assert_int_equal(mdl_searches_plan(&s, &(struct mdl_search_shape){1, 1, 2, 1, 0, 0}, &bytes,
                                       &err),
                     T2_OK);
    assert_int_equal(bytes.host, first);
    mdl_searches_release(&s);
    mdl_free(m);
}

T_MAIN(cmocka_unit_test(test_plan_is_what_is_taken), cmocka_unit_test(test_one_pack_of_each_weight),
       cmocka_unit_test(test_graphs_are_kept), cmocka_unit_test(test_room),
       cmocka_unit_test(test_beyond_the_limit), cmocka_unit_test(test_many_shapes))
