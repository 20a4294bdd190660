/*
 * test_tree_sum.c - sums over shards: the same bits for any number of ranks, buckets and threads.
 */
#include <math.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "tests/support/comm_threads.h"
#include "tests/support/t.h"
#include "train/dist/tree_sum.h"

/* The vectors of all shards, and what each rank found as their sum. */
struct data {
    int n_shards;
    int64_t n, bucket;
    int threads;
    enum dist_number number;
    bool beside;   /* the last node comes bit by bit, from its end */
    float *shards; /* (n_shards, n) */
    float *sums;   /* (ranks, n) */
};

/* The specification. */
static float sum_of(const struct data *d, struct dist_span node, int64_t i)
{
    int middle;

    if (node.end - node.first == 1)
        return d->shards[node.first * d->n + i];
    middle = dist_tree_middle(node);
    return sum_of(d, (struct dist_span){node.first, middle}, i) +
           sum_of(d, (struct dist_span){middle, node.end}, i);
}

/* What is not ready has wrong values still; ranks go in steps of their own. */
static enum t2_status add_beside(struct dist_tree_sum *s, const struct data *d, float **nodes,
                                 int n_nodes, const struct dist_span *spans, float *sum,
                                 struct t2_err *err)
{
    int64_t length = 300 + 100 * spans[0].first;

    for (int64_t i = 0; n_nodes > 0 && i < d->n; i++)
        nodes[n_nodes - 1][i] = -1.0F;
    dist_tree_sum_begin(s, nodes, sum);
    for (int64_t from = d->n; n_nodes > 0 && from > 0;) {
        int64_t end = from;

        from = from > length ? from - length : 0;
        for (int64_t i = from; i < end; i++)
            nodes[n_nodes - 1][i] = sum_of(d, spans[n_nodes - 1], i);
        T2_TRY(dist_tree_sum_ready(s, from, err));
    }
    return dist_tree_sum_end(s, err);
}

static enum t2_status add_up(struct dist *dist, void *arg, struct t2_err *err)
{
    const struct data *d = arg;
    struct dist_span here = dist_tree_of_rank(d->n_shards, dist_rank(dist), dist_size(dist));
    struct t2_pool *pool = d->threads > 1 ? t2_pool_new(d->threads) : NULL;
    struct dist_tree_sum *s =
        dist_tree_sum_new(dist, d->n_shards, d->n, d->bucket, d->number, pool);
    float *sum = d->sums + dist_rank(dist) * d->n;
    struct dist_span spans[16];
    float *nodes[16];
    int n_nodes = dist_tree_cover(d->n_shards, here, spans);
    enum t2_status st = T2_OK;

    for (int k = 0; k < n_nodes; k++) {
        nodes[k] = k == n_nodes - 1 ? sum : t2_alloc((size_t) d->n, sizeof(float));
        for (int64_t i = 0; i < d->n; i++)
            nodes[k][i] = sum_of(d, spans[k], i);
    }
    st = d->beside ? add_beside(s, d, nodes, n_nodes, spans, sum, err)
                   : dist_tree_sum_run(s, nodes, sum, err);
    for (int k = 0; k < n_nodes - 1; k++) {
        if (d->n > 0 && nodes[k][d->n - 1] != sum_of(d, spans[k], d->n - 1))
            st = t2_fail(err, T2_EFORMAT, "node %d has changed", k);
        t2_free(nodes[k]);
    }
    if (dist_size(dist) > 1 && dist_tree_sum_bytes(s) == 0)
        st = t2_fail(err, T2_EFORMAT, "keeps nothing");
    dist_tree_sum_free(s);
    t2_pool_free(pool);
    return st;
}

static struct data data_of(int n_shards, int64_t n, int64_t bucket)
{
    return (struct data){.n_shards = n_shards, .n = n, .bucket = bucket, .threads = 1};
}

static void run(struct data *data, int ranks)
{
    struct data d = *data;
    int n_shards = d.n_shards;
    int64_t n = d.n;
    struct t_rank_result results[8];
    struct t2_rng rng;

    t2_rng_init(&rng, 7, T2_RNG_TEST, 0, (uint64_t) n_shards);
    d.shards = t2_alloc((size_t) (n_shards * n), sizeof *d.shards);
    d.sums = t2_alloc((size_t) (ranks * n), sizeof *d.sums);
    for (int64_t i = 0; i < n_shards * n; i++)
        d.shards[i] = (float) (t2_rng_uniform(&rng) - 0.5f) * (float) (1 << (i % 20));
    t_run_ranks(ranks, add_up, &d, results);
    t_assert_ranks(ranks, results);
    for (int r = 0; r < ranks; r++) {
        for (int64_t i = 0; i < n; i++) {
            float sum = sum_of(&d, (struct dist_span){0, n_shards}, i), size = 0.0F;

            for (int k = 0; k < n_shards; k++)
                size += fabsf(d.shards[k * n + i]);
            /* a rounding of each part, and one of the sum */
            assert_true(d.number == DIST_FLOAT32
                            ? d.sums[r * n + i] == sum
                            : fabsf(d.sums[r * n + i] - sum) <= (size + fabsf(sum)) / 256.0F);
            assert_true(d.sums[r * n + i] == d.sums[i]);
        }
    }
    t2_free(d.shards);
    t2_free(d.sums);
}

static void check(int n_shards, int ranks, int64_t n, int64_t bucket, int threads)
{
    struct data d = data_of(n_shards, n, bucket);

    d.threads = threads;
    run(&d, ranks);
}

static void test_ranks(void **state)
{
    (void) state;
    for (int ranks = 1; ranks <= 5; ranks++)
        for (int n_shards = 1; n_shards <= 7; n_shards += 2)
            check(n_shards, ranks, 5000, 2048, 1);
    check(8, 4, 5000, 2048, 1);
    check(6, 2, 5000, 2048, 1);
}

static void test_sizes(void **state)
{
    static const int64_t sizes[] = {0, 1, 15, 16, 17, 63, 2047, 2048, 2049, 4097, 10000};

    (void) state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check(3, 3, sizes[i], 4096, 1);
        check(3, 3, sizes[i], 48, 1);
    }
    check(2, 2, 10000, 0, 1);
}

static void test_threads(void **state)
{
    (void) state;
    check(4, 2, 20000, 8192, 3);
}

static void test_beside(void **state)
{
    static const struct {
        int n_shards, ranks;
    } rows[] = {{2, 2}, {3, 3}, {5, 4}, {2, 3}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct data d = data_of(rows[i].n_shards, 5003, 512);

        d.beside = true;
        run(&d, rows[i].ranks);
        d.number = DIST_BFLOAT16;
        run(&d, rows[i].ranks);
    }
}

static void test_bfloat16(void **state)
{
    (void) state;
    for (int ranks = 2; ranks <= 4; ranks++) {
        struct data d = data_of(4, 5003, 2048);

        d.number = DIST_BFLOAT16;
        run(&d, ranks);
    }
}

T_MAIN(cmocka_unit_test(test_beside), cmocka_unit_test(test_bfloat16), cmocka_unit_test(test_ranks),
       cmocka_unit_test(test_sizes), cmocka_unit_test(test_threads))
