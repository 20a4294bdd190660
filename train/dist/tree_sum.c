/*
 * train/dist/tree_sum.c - reduce-scatter, addition along the tree, all-gather, in buckets.
 */
#include "train/dist/tree_sum.h"

#include <string.h>

#include "base/alloc.h"

/* The floats of BLOCK stay in the nearest cache while the nodes are added; pieces begin at lines of
 * it. */
enum { BLOCK = 2048, LINE = 16, BUCKET = 1 << 22, MAX_DEPTH = 32 };

/* A bucket on its way to those who add it up. */
struct slot {
    uint64_t number; /* of the transfer */
    float *received; /* (nodes of other ranks, piece_floats) */
    float **nodes;   /* (all nodes): where this rank's piece of each lies */
};

struct dist_tree_sum {
    struct dist *dist;
    struct t2_pool *pool;
    int n_shards;
    int64_t n, bucket;
    int n_nodes;             /* of all ranks */
    struct dist_span *spans; /* (n_nodes) */
    int *first_node; /* (size + 1): rank r brings nodes first_node[r] .. first_node[r + 1] - 1 */
    int64_t piece_floats; /* at most */
    struct slot slots[2];
    float *scratch;                    /* (threads, MAX_DEPTH, BLOCK) */
    struct dist_piece *send, *receive; /* (n_nodes * size) */
};

/* Floats of a bucket of n in front of the piece of rank r. */
static int64_t piece_at(const struct dist_tree_sum *s, int64_t n, int r)
{
    int64_t lines = (n + LINE - 1) / LINE, at = lines * r / dist_size(s->dist) * LINE;

    return at < n ? at : n;
}

static int own_nodes(const struct dist_tree_sum *s)
{
    int me = dist_rank(s->dist);

    return s->first_node[me + 1] - s->first_node[me];
}

static size_t received_floats(const struct dist_tree_sum *s)
{
    return (size_t) (s->n_nodes - own_nodes(s)) * (size_t) s->piece_floats;
}

static int n_threads(const struct dist_tree_sum *s)
{
    return s->pool ? t2_pool_threads(s->pool) : 1;
}

struct dist_tree_sum *dist_tree_sum_new(struct dist *dist, int n_shards, int64_t n,
                                        int64_t bucket_floats, struct t2_pool *pool)
{
    struct dist_tree_sum *s = t2_alloc(1, sizeof *s);
    int size = dist_size(dist);
    size_t n_pieces;

    s->dist = dist;
    s->pool = pool;
    s->n_shards = n_shards;
    s->n = n;
    s->bucket = bucket_floats > 0 ? bucket_floats : BUCKET;
    s->first_node = t2_alloc((size_t) size + 1, sizeof *s->first_node);
    s->spans = t2_alloc((size_t) n_shards, sizeof *s->spans);
    for (int r = 0; r < size; r++) {
        s->n_nodes +=
            dist_tree_cover(n_shards, dist_tree_of_rank(n_shards, r, size), s->spans + s->n_nodes);
        s->first_node[r + 1] = s->n_nodes;
    }
    s->piece_floats = s->bucket / size + 2 * LINE;
    for (int i = 0; i < 2; i++) {
        s->slots[i].received = t2_alloc(received_floats(s), sizeof(float));
        s->slots[i].nodes = t2_alloc((size_t) s->n_nodes, sizeof(float *));
    }
    s->scratch = t2_alloc((size_t) n_threads(s) * MAX_DEPTH * BLOCK, sizeof(float));
    n_pieces = (size_t) (s->n_nodes + 1) * (size_t) size;
    s->send = t2_alloc(n_pieces, sizeof *s->send);
    s->receive = t2_alloc(n_pieces, sizeof *s->receive);
    return s;
}

void dist_tree_sum_free(struct dist_tree_sum *s)
{
    if (!s)
        return;
    for (int i = 0; i < 2; i++) {
        t2_free(s->slots[i].received);
        t2_free(s->slots[i].nodes);
    }
    t2_free(s->first_node);
    t2_free(s->spans);
    t2_free(s->scratch);
    t2_free(s->send);
    t2_free(s->receive);
    t2_free(s);
}

uint64_t dist_tree_sum_bytes(const struct dist_tree_sum *s)
{
    return (2 * received_floats(s) + (size_t) n_threads(s) * MAX_DEPTH * BLOCK) * sizeof(float);
}

/* ---- addition ---- */

/* One bucket's piece of this rank. */
struct addition {
    const struct dist_tree_sum *s;
    float *const *nodes;
    float *sum;
    int64_t n;
};

/* The sum of a span in floats at .. at + n - 1: of a node that is there itself, or in `out`. */
static const float *add_span(const struct addition *a, int first_node, struct dist_span span,
                             int64_t at, int64_t n, float *out, int *end_node)
{
    const struct dist_span *node = &a->s->spans[first_node];
    struct dist_span left = span, right = span;
    const float *x, *y;
    int middle_node;

    if (node->first == span.first && node->end == span.end) {
        *end_node = first_node + 1;
        return a->nodes[first_node] + at;
    }
    left.end = right.first = dist_tree_middle(span);
    x = add_span(a, first_node, left, at, n, out, &middle_node);
    y = add_span(a, middle_node, right, at, n, out + BLOCK, end_node);
    for (int64_t i = 0; i < n; i++)
        out[i] = x[i] + y[i];
    return out;
}

static void add_block(void *arg, int64_t block, int worker)
{
    const struct addition *a = arg;
    int64_t at = block * BLOCK, n = a->n - at < BLOCK ? a->n - at : BLOCK;
    float *scratch = a->s->scratch + (int64_t) worker * MAX_DEPTH * BLOCK;
    const float *sum;
    int end;

    sum = add_span(a, 0, (struct dist_span){0, a->s->n_shards}, at, n, scratch, &end);
    if (sum != a->sum + at)
        memcpy(a->sum + at, sum, (size_t) n * sizeof *sum);
}

static void add(const struct dist_tree_sum *s, float *const *nodes, float *sum, int64_t n)
{
    struct addition a = {.s = s, .nodes = nodes, .sum = sum, .n = n};
    int64_t n_blocks = (n + BLOCK - 1) / BLOCK;

    if (s->pool) {
        t2_pool_run(s->pool, n_blocks, add_block, &a);
        return;
    }
    for (int64_t i = 0; i < n_blocks; i++)
        add_block(&a, i, 0);
}

/* ---- buckets ---- */

/* Floats at .. at + n - 1 of the vector. */
struct bucket {
    int64_t at, n;
};

static struct bucket bucket_of(const struct dist_tree_sum *s, int64_t i)
{
    int64_t at = i * s->bucket;

    return (struct bucket){at, s->n - at < s->bucket ? s->n - at : s->bucket};
}

/* Ranks in the order in which this one turns to them. */
static int other(const struct dist_tree_sum *s, int i)
{
    return (dist_rank(s->dist) + i) % dist_size(s->dist);
}

/* To each rank its piece of this rank's nodes. */
static enum t2_status begin_scatter(struct dist_tree_sum *s, struct bucket b, float *const *nodes,
                                    struct slot *slot, struct t2_err *err)
{
    int me = dist_rank(s->dist), n_send = 0, n_receive = 0;
    int64_t mine = piece_at(s, b.n, me), n = piece_at(s, b.n, me + 1) - mine;
    float *to = slot->received;

    for (int i = 0; i < dist_size(s->dist); i++) {
        int r = other(s, i);
        int64_t at = piece_at(s, b.n, r), length = piece_at(s, b.n, r + 1) - at;

        for (int k = s->first_node[r]; k < s->first_node[r + 1]; k++) {
            if (r == me) {
                slot->nodes[k] = nodes[k - s->first_node[me]] + b.at + mine;
                continue;
            }
            slot->nodes[k] = to;
            s->receive[n_receive++] = (struct dist_piece){r, to, (size_t) n * sizeof *to};
            to += n;
        }
        for (int k = 0; r != me && k < own_nodes(s); k++)
            s->send[n_send++] =
                (struct dist_piece){r, nodes[k] + b.at + at, (size_t) length * sizeof *to};
    }
    return s->dist->comm.start(s->dist->comm.state,
                               &(struct dist_transfer){s->send, s->receive, n_send, n_receive},
                               &slot->number, err);
}

/* This rank's piece of the sum to all, and theirs to it. */
static enum t2_status begin_gather(struct dist_tree_sum *s, struct bucket b, float *sum,
                                   uint64_t *number, struct t2_err *err)
{
    int me = dist_rank(s->dist), n = 0;
    int64_t mine = piece_at(s, b.n, me), length = piece_at(s, b.n, me + 1) - mine;

    for (int i = 1; i < dist_size(s->dist); i++) {
        int r = other(s, i);
        int64_t at = piece_at(s, b.n, r), floats = piece_at(s, b.n, r + 1) - at;

        s->send[n] = (struct dist_piece){r, sum + b.at + mine, (size_t) length * sizeof *sum};
        s->receive[n++] = (struct dist_piece){r, sum + b.at + at, (size_t) floats * sizeof *sum};
    }
    return s->dist->comm.start(s->dist->comm.state,
                               &(struct dist_transfer){s->send, s->receive, n, n}, number, err);
}

enum t2_status dist_tree_sum_run(struct dist_tree_sum *s, float *const *nodes, float *sum,
                                 struct t2_err *err)
{
    const struct dist_comm *comm = &s->dist->comm;
    int64_t n_buckets = (s->n + s->bucket - 1) / s->bucket;
    uint64_t gathered = 0;

    if (n_buckets > 0)
        T2_TRY(begin_scatter(s, bucket_of(s, 0), nodes, &s->slots[0], err));
    for (int64_t i = 0; i < n_buckets; i++) {
        struct bucket b = bucket_of(s, i);
        struct slot *slot = &s->slots[i % 2];
        int64_t at = piece_at(s, b.n, comm->rank);

        if (i + 1 < n_buckets)
            T2_TRY(begin_scatter(s, bucket_of(s, i + 1), nodes, &s->slots[(i + 1) % 2], err));
        T2_TRY(comm->finish(comm->state, slot->number, err));
        add(s, slot->nodes, sum + b.at + at, piece_at(s, b.n, comm->rank + 1) - at);
        if (i > 0)
            T2_TRY(comm->finish(comm->state, gathered, err));
        T2_TRY(begin_gather(s, b, sum, &gathered, err));
    }
    return n_buckets > 0 ? comm->finish(comm->state, gathered, err) : T2_OK;
}
