/*
 * train/dist/tree_sum.c - reduce-scatter, addition along the tree, all-gather, in buckets.
 */
#include "train/dist/tree_sum.h"

#include <string.h>

#include "base/alloc.h"

/* The floats of BLOCK stay in the nearest cache while the nodes are added; pieces begin at lines of
 * it. */
enum { BLOCK = 2048, LINE = 16, BUCKET = 1 << 22, LEAST_BUCKET = 4096, MAX_DEPTH = 32 };

/* A bucket on its way to those who add it up. */
struct slot {
    uint64_t number; /* of the transfer */
    float *received; /* (nodes of other ranks, piece_floats) */
    /* bfloat16: what of it travels; (nodes of other ranks, piece_floats), (own nodes, bucket) */
    uint16_t *arriving, *leaving;
    float **nodes; /* (all nodes): where this rank's piece of each lies */
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
    enum dist_number number;
    uint16_t *gathering; /* (bucket) bfloat16: the sums on their way; NULL with float32 */
    /* a sum in the making */
    float *const *nodes;
    float *sum;
    int64_t n_scattered,
        n_added;       /* buckets, from the last on, that have begun to travel; are sums */
    uint64_t gathered; /* the transfer of the bucket before n_added */
    float *scratch;    /* (threads, MAX_DEPTH, BLOCK) */
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

static size_t leaving_floats(const struct dist_tree_sum *s)
{
    return (size_t) own_nodes(s) * (size_t) s->bucket;
}

static int n_threads(const struct dist_tree_sum *s)
{
    return t2_pool_threads(s->pool);
}

/* Some, so that the first may leave before the last is there. */
static int64_t usual_bucket(int64_t n)
{
    int64_t eighth = (n / 8 + LINE) / LINE * LINE;

    if (eighth > BUCKET)
        return BUCKET;
    return eighth < LEAST_BUCKET ? LEAST_BUCKET : eighth;
}

/* From the beginning of a page on, as the vectors are that it comes from: copies to a little beyond
 * one take nearly twice the time. */
static float *alloc_received(const struct dist_tree_sum *s)
{
    float *received = t2_alloc_aligned(received_floats(s) * sizeof *received);

    if (!received)
        t2_out_of_memory("%zu floats of gradients that other ranks send", received_floats(s));
    return received;
}

struct dist_tree_sum *dist_tree_sum_new(struct dist *dist, int n_shards, int64_t n,
                                        int64_t bucket_floats, enum dist_number number,
                                        struct t2_pool *pool)
{
    struct dist_tree_sum *s = t2_alloc(1, sizeof *s);
    int size = dist_size(dist);
    size_t n_pieces;

    s->dist = dist;
    s->pool = pool;
    s->n_shards = n_shards;
    s->n = n;
    s->number = number;
    s->bucket = bucket_floats > 0 ? bucket_floats : usual_bucket(n);
    s->first_node = t2_alloc((size_t) size + 1, sizeof *s->first_node);
    s->spans = t2_alloc((size_t) n_shards, sizeof *s->spans);
    for (int r = 0; r < size; r++) {
        s->n_nodes +=
            dist_tree_cover(n_shards, dist_tree_of_rank(n_shards, r, size), s->spans + s->n_nodes);
        s->first_node[r + 1] = s->n_nodes;
    }
    s->piece_floats = s->bucket / size + 2 * LINE;
    for (int i = 0; i < 2; i++) {
        s->slots[i].received = alloc_received(s);
        s->slots[i].nodes = t2_alloc((size_t) s->n_nodes, sizeof(float *));
        if (number == DIST_BFLOAT16) {
            s->slots[i].arriving = t2_alloc(received_floats(s), sizeof(uint16_t));
            s->slots[i].leaving = t2_alloc(leaving_floats(s), sizeof(uint16_t));
        }
    }
    if (number == DIST_BFLOAT16)
        s->gathering = t2_alloc((size_t) s->bucket, sizeof *s->gathering);
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
        t2_free_aligned(s->slots[i].received);
        t2_free(s->slots[i].nodes);
        t2_free(s->slots[i].arriving);
        t2_free(s->slots[i].leaving);
    }
    t2_free(s->gathering);
    t2_free(s->first_node);
    t2_free(s->spans);
    t2_free(s->scratch);
    t2_free(s->send);
    t2_free(s->receive);
    t2_free(s);
}

uint64_t dist_tree_sum_bytes(const struct dist_tree_sum *s)
{
    uint64_t halves = 2 * (received_floats(s) + leaving_floats(s)) + (size_t) s->bucket;

    return (2 * received_floats(s) + (size_t) n_threads(s) * MAX_DEPTH * BLOCK) * sizeof(float) +
           (s->gathering ? halves * sizeof(uint16_t) : 0);
}

/* ---- bfloat16 ---- */

/* x (n) rounded, in x, too, where that is what all shall have; NaN stays one. */
static void halve(const float *x, int64_t n, uint16_t *to)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;

        memcpy(&bits, x + i, sizeof bits);
        to[i] = (uint16_t) ((bits & 0x7fffffffU) > 0x7f800000U
                                ? bits >> 16 | 0x40U
                                : (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
    }
}

static void widen(const uint16_t *x, int64_t n, float *to)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits = (uint32_t) x[i] << 16;

        memcpy(to + i, &bits, sizeof bits);
    }
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

    t2_pool_run(s->pool, n_blocks, add_block, &a);
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

/* A piece of n floats at x, or of as many halves at `half`. */
static struct dist_piece piece_of(const struct dist_tree_sum *s, int rank, float *x, uint16_t *half,
                                  int64_t n)
{
    if (s->number == DIST_BFLOAT16)
        return (struct dist_piece){rank, half, (size_t) n * sizeof *half};
    return (struct dist_piece){rank, x, (size_t) n * sizeof *x};
}

/* This rank's nodes' floats of the bucket, rounded, node by node. */
static void halve_nodes(const struct dist_tree_sum *s, struct bucket b, const struct slot *slot)
{
    for (int k = 0; s->number == DIST_BFLOAT16 && k < own_nodes(s); k++)
        halve(s->nodes[k] + b.at, b.n, slot->leaving + k * s->bucket);
}

/* To each rank its piece of this rank's nodes. */
static enum t2_status begin_scatter(struct dist_tree_sum *s, struct bucket b, struct slot *slot,
                                    struct t2_err *err)
{
    int me = dist_rank(s->dist), n_send = 0, n_receive = 0;
    int64_t mine = piece_at(s, b.n, me), n = piece_at(s, b.n, me + 1) - mine, to = 0;

    halve_nodes(s, b, slot);
    for (int i = 0; i < dist_size(s->dist); i++) {
        int r = other(s, i);
        int64_t at = piece_at(s, b.n, r), length = piece_at(s, b.n, r + 1) - at;

        for (int k = s->first_node[r]; k < s->first_node[r + 1]; k++) {
            if (r == me) {
                slot->nodes[k] = s->nodes[k - s->first_node[me]] + b.at + mine;
                continue;
            }
            slot->nodes[k] = slot->received + to;
            s->receive[n_receive++] = piece_of(s, r, slot->received + to, slot->arriving + to, n);
            to += n;
        }
        for (int k = 0; r != me && k < own_nodes(s); k++)
            s->send[n_send++] =
                piece_of(s, r, s->nodes[k] + b.at + at, slot->leaving + k * s->bucket + at, length);
    }
    return s->dist->comm.start(s->dist->comm.state,
                               &(struct dist_transfer){s->send, s->receive, n_send, n_receive},
                               &slot->number, err);
}

/* This rank's piece of the bucket becomes a sum, of what all bring. */
static enum t2_status add_piece(struct dist_tree_sum *s, struct bucket b, struct slot *slot,
                                struct t2_err *err)
{
    int me = dist_rank(s->dist);
    int64_t at = piece_at(s, b.n, me), n = piece_at(s, b.n, me + 1) - at;

    T2_TRY(s->dist->comm.finish(s->dist->comm.state, slot->number, err));
    if (s->number == DIST_BFLOAT16)
        widen(slot->arriving, (s->n_nodes - own_nodes(s)) * n, slot->received);
    add(s, slot->nodes, s->sum + b.at + at, n);
    return T2_OK;
}

/* This rank's piece of the sum to all, and theirs to it. */
static enum t2_status begin_gather(struct dist_tree_sum *s, struct bucket b, struct t2_err *err)
{
    int me = dist_rank(s->dist), n = 0;
    int64_t mine = piece_at(s, b.n, me), length = piece_at(s, b.n, me + 1) - mine;

    if (s->number == DIST_BFLOAT16)
        halve(s->sum + b.at + mine, length, s->gathering + mine);
    for (int i = 1; i < dist_size(s->dist); i++) {
        int r = other(s, i);
        int64_t at = piece_at(s, b.n, r), floats = piece_at(s, b.n, r + 1) - at;

        s->send[n] = piece_of(s, r, s->sum + b.at + mine, s->gathering + mine, length);
        s->receive[n++] = piece_of(s, r, s->sum + b.at + at, s->gathering + at, floats);
    }
    return s->dist->comm.start(s->dist->comm.state,
                               &(struct dist_transfer){s->send, s->receive, n, n}, &s->gathered,
                               err);
}

/* All have the bucket's sum. */
static enum t2_status end_gather(struct dist_tree_sum *s, struct bucket b, struct t2_err *err)
{
    T2_TRY(s->dist->comm.finish(s->dist->comm.state, s->gathered, err));
    if (s->number == DIST_BFLOAT16)
        widen(s->gathering, b.n, s->sum + b.at);
    return T2_OK;
}

/* ---- a sum ---- */

static int64_t n_buckets(const struct dist_tree_sum *s)
{
    return (s->n + s->bucket - 1) / s->bucket;
}

/* The k-th that travels. */
static struct bucket turn(const struct dist_tree_sum *s, int64_t k)
{
    return bucket_of(s, n_buckets(s) - 1 - k);
}

static bool is_done(const struct dist_tree_sum *s, uint64_t number)
{
    return s->dist->comm.is_done && s->dist->comm.is_done(s->dist->comm.state, number);
}

/*
 * Transfers begin in one order on all ranks, whatever arrives when, as messages of a pair meet in
 * order: the scatters of buckets 0 and 1, the gather of 0, the scatter of 2, the gather of 1, ...
 */
static enum t2_status go_on(struct dist_tree_sum *s, int64_t from, bool waits, struct t2_err *err)
{
    int64_t n = n_buckets(s);

    for (;;) {
        struct slot *slot = &s->slots[s->n_added % 2];

        if (s->n_scattered < n && s->n_scattered <= s->n_added + 1) {
            struct bucket next = turn(s, s->n_scattered);

            if (next.at < from)
                return T2_OK;
            T2_TRY(begin_scatter(s, next, &s->slots[s->n_scattered % 2], err));
            s->n_scattered++;
            continue;
        }
        if (s->n_added == n)
            return T2_OK;
        if (!waits && ((s->n_added > 0 && !is_done(s, s->gathered)) || !is_done(s, slot->number)))
            return T2_OK;
        T2_TRY(add_piece(s, turn(s, s->n_added), slot, err));
        if (s->n_added > 0)
            T2_TRY(end_gather(s, turn(s, s->n_added - 1), err));
        T2_TRY(begin_gather(s, turn(s, s->n_added), err));
        s->n_added++;
    }
}

void dist_tree_sum_begin(struct dist_tree_sum *s, float *const *nodes, float *sum)
{
    s->nodes = nodes;
    s->sum = sum;
    s->n_scattered = s->n_added = 0;
}

enum t2_status dist_tree_sum_ready(struct dist_tree_sum *s, int64_t from, struct t2_err *err)
{
    return go_on(s, from, false, err);
}

enum t2_status dist_tree_sum_end(struct dist_tree_sum *s, struct t2_err *err)
{
    T2_TRY(go_on(s, 0, true, err));
    return s->n_added > 0 ? end_gather(s, turn(s, s->n_added - 1), err) : T2_OK;
}
