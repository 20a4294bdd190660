/*
 * test_card_sum.c - sums over shards from card to card, on the emulated GPU: the bits of the tree
 * of the shards for any number of ranks, also beside the computing of what is summed.
 */
#include "train/runs/card_sum.h"

#include "base/alloc.h"
#include "tests/support/comm_threads.h"
#include "tests/support/t.h"
#ifdef DEV_CUDA_ON_HOST
#include "tests/support/cuda_on_host/on_host.h"
#endif

#ifdef DEV_CUDA_ON_HOST

struct data {
    int n_shards;
    int64_t n;
    int64_t part; /* floats of the last node that are computed at once; 0: all, before */
};

/* Values whose sum depends on the order. */
static float value(int shard, int64_t i)
{
    return (float) ((shard * 7919 + i * 104729) % 1000 - 500) * (float) (1 << (shard * 5 + i) % 23);
}

static float sum_of(struct dist_span node, int64_t i)
{
    int middle;

    if (node.end - node.first == 1)
        return value(node.first, i);
    middle = dist_tree_middle(node);
    return sum_of((struct dist_span){node.first, middle}, i) +
           sum_of((struct dist_span){middle, node.end}, i);
}

static void put(struct dev *d, float *node, struct dist_span span, int64_t from, int64_t end)
{
    float *host = t2_alloc((size_t) (end - from), sizeof *host);

    for (int64_t i = from; i < end; i++)
        host[i - from] = sum_of(span, i);
    d->upload_now(d, node + from, host, (size_t) (end - from) * sizeof *host);
    t2_free(host);
}

static enum t2_status sum_up(struct dev *d, struct tr_card_sum *s, const struct data *data,
                             struct dist_span here, struct t2_err *err)
{
    struct dist_span spans[8];
    float *nodes[8], *sum = d->alloc(d, (size_t) data->n * 4), *host;
    int n_nodes = dist_tree_cover(data->n_shards, here, spans);
    enum t2_status st = T2_OK;

    host = t2_alloc((size_t) data->n, sizeof *host);
    for (int round = 0; round < 2 && st == T2_OK; round++) {
        for (int k = 0; k < n_nodes; k++) {
            nodes[k] = k == n_nodes - 1 ? sum : d->alloc(d, (size_t) data->n * 4);
            if (k < n_nodes - 1 || data->part == 0)
                put(d, nodes[k], spans[k], 0, data->n);
        }
        tr_card_sum_begin(s, nodes, sum);
        for (int64_t end = data->n; n_nodes > 0 && data->part > 0 && end > 0 && st == T2_OK;) {
            int64_t from = end > data->part ? end - data->part : 0;

            put(d, sum, spans[n_nodes - 1], from, end);
            st = tr_card_sum_ready(s, from, err);
            end = from;
        }
        if (st == T2_OK)
            st = tr_card_sum_end(s, err);
        d->download(d, host, sum, (size_t) data->n * 4);
        for (int64_t i = 0; i < data->n && st == T2_OK; i++)
            if (!(host[i] == sum_of((struct dist_span){0, data->n_shards}, i)))
                st = t2_fail(err, T2_EFORMAT, "float %d of the sum is another one", (int) i);
        for (int k = 0; k < n_nodes - 1; k++)
            d->free(d, nodes[k]);
    }
    t2_free(host);
    d->free(d, sum);
    return st;
}

/* Each rank's part of a vector to all. */
static enum t2_status gather(struct dist *dist, struct dev *d, struct tr_card_sum *s,
                             struct t2_err *err)
{
    enum { PART = 3 };
    size_t at[8], bytes[8], n = (size_t) dist_size(dist) * PART;
    float host[8 * PART] = {0}, *values = d->alloc(d, n * 4);
    enum t2_status st;

    for (int r = 0; r < dist_size(dist); r++) {
        at[r] = (size_t) r * PART * 4;
        bytes[r] = r == 1 ? 0 : PART * 4;
    }
    for (int i = 0; i < PART; i++)
        host[dist_rank(dist) * PART + i] = (float) (dist_rank(dist) * PART + i);
    d->upload_now(d, values, host, n * 4);
    st = tr_card_sum_gather(s, values, at, bytes, err);
    d->download(d, host, values, n * 4);
    for (size_t i = 0; i < n && st == T2_OK; i++)
        if (i / PART != 1 && !(host[i] == (float) i))
            st = t2_fail(err, T2_EFORMAT, "value %zu is %g", i, (double) host[i]);
    d->free(d, values);
    return st;
}

static enum t2_status run_rank(struct dist *dist, void *arg, struct t2_err *err)
{
    const struct data *data = arg;
    struct tr_card_sum *s = NULL;
    struct dev *d;
    enum t2_status st;

    T2_TRY(dev_open_nth("cuda", dist_rank(dist), 1, &d, err));
    st = tr_card_sum_new(dist, d, data->n_shards, data->n, &s, err);
    if (st == T2_OK) {
        uint64_t used = d->memory(d).used_bytes;

        st = tr_card_sum_place(s, err);
        if (st == T2_OK && d->memory(d).used_bytes - used != tr_card_sum_bytes(s))
            st = t2_fail(err, T2_EFORMAT, "it takes other memory than it says");
    }
    if (st == T2_OK)
        st = sum_up(d, s, data, dist_tree_of_rank(data->n_shards, dist_rank(dist), dist_size(dist)),
                    err);
    if (st == T2_OK)
        st = gather(dist, d, s, err);
    tr_card_sum_free(s);
    dev_close(d);
    return st;
}

static void test_sums(void **state)
{
    static const struct data cases[] = {{4, 10, 0},     {4, 20000, 0}, {3, 9001, 700},
                                        {5, 4096, 100}, {8, 40, 9},    {2, 33000, 5000}};

    (void) state;
    cuda_on_host_devices(4);
    cuda_on_host_watch(true);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int ranks = 2; ranks <= 4; ranks++) {
            struct data data = cases[i];
            struct t_rank_result results[4];

            cuda_on_host_seed((uint64_t) ranks);
            t_run_ranks(ranks, run_rank, &data, results);
            t_assert_ranks(ranks, results);
            assert_string_equal(cuda_on_host_fault(), "");
        }
    cuda_on_host_watch(false);
    cuda_on_host_devices(-1);
}

T_MAIN(cmocka_unit_test(test_sums))

#else

static void test_emulated_cards(void **state)
{
    (void) state;
    t_skip("this build has no emulated CUDA device; make check-cuda");
}

T_MAIN(cmocka_unit_test(test_emulated_cards))

#endif
