/*
 * train/runs/card_sum.c - see the header.
 */
#include "train/runs/card_sum.h"

#include "base/alloc.h"

/* Pieces begin at 128 bytes.  A bucket of 16 MiB keeps links busy; eight of a smaller vector, so
 * that the first may leave before the last is there. */
enum { LINE = 32, BUCKET = 1 << 22, LEAST_BUCKET = 1 << 12 };

struct tr_card_sum {
    struct dist *dist;
    struct dist_cards cards;
    struct dev *dev;
    int n_shards, n_nodes;   /* of all ranks */
    struct dist_span *spans; /* (n_nodes) */
    int *first_node; /* (size + 1): rank r brings nodes first_node[r] .. first_node[r + 1] - 1 */
    int64_t n, bucket, n_done; /* buckets, from the last on, that are queued */
    float *received;           /* device: (nodes of other ranks, piece_floats) */
    int64_t piece_floats;      /* at most */
    float *const *nodes;
    float *sum;
    float **pieces;                    /* (n_nodes): this rank's piece of each */
    struct dist_piece *send, *receive; /* (n_nodes * size) */
    struct dev_event *computed, *exchanged;
};

/* ---- life ---- */

static int own_nodes(const struct tr_card_sum *s)
{
    int me = dist_rank(s->dist);

    return s->first_node[me + 1] - s->first_node[me];
}

static int64_t bucket_for(int64_t n)
{
    int64_t eighth = (n / 8 + LINE) / LINE * LINE;

    return eighth > BUCKET ? BUCKET : eighth < LEAST_BUCKET ? LEAST_BUCKET : eighth;
}

static void list_nodes(struct tr_card_sum *s)
{
    int size = dist_size(s->dist);

    s->spans = t2_alloc((size_t) s->n_shards, sizeof *s->spans);
    s->first_node = t2_alloc((size_t) size + 1, sizeof *s->first_node);
    for (int r = 0; r < size; r++) {
        s->n_nodes += dist_tree_cover(s->n_shards, dist_tree_of_rank(s->n_shards, r, size),
                                      s->spans + s->n_nodes);
        s->first_node[r + 1] = s->n_nodes;
    }
}

enum t2_status tr_card_sum_new(struct dist *dist, struct dev *dev, int n_shards, int64_t n,
                               struct tr_card_sum **s, struct t2_err *err)
{
    struct dist_cards cards;
    struct tr_card_sum *made;
    size_t n_pieces;

    *s = NULL;
    T2_ASSERT(dev->native_queue && dev->sum_on);
    T2_TRY(dist_cards_nccl(dist, &cards, err));
    made = t2_alloc(1, sizeof *made);
    made->dist = dist;
    made->cards = cards;
    made->dev = dev;
    made->n_shards = n_shards;
    made->n = n;
    made->bucket = bucket_for(n);
    made->piece_floats = made->bucket / dist_size(dist) + 2 * LINE;
    list_nodes(made);
    n_pieces = (size_t) (made->n_nodes + 1) * (size_t) dist_size(dist);
    made->send = t2_alloc(n_pieces, sizeof *made->send);
    made->receive = t2_alloc(n_pieces, sizeof *made->receive);
    made->pieces = t2_alloc((size_t) made->n_nodes, sizeof *made->pieces);
    made->computed = dev->event_new(dev);
    made->exchanged = dev->event_new(dev);
    *s = made;
    return T2_OK;
}

void tr_card_sum_free(struct tr_card_sum *s)
{
    if (!s)
        return;
    s->dev->sync(s->dev);
    s->cards.close(s->cards.state);
    s->dev->event_free(s->dev, s->computed);
    s->dev->event_free(s->dev, s->exchanged);
    s->dev->free(s->dev, s->received);
    t2_free(s->pieces);
    t2_free(s->spans);
    t2_free(s->first_node);
    t2_free(s->send);
    t2_free(s->receive);
    t2_free(s);
}

const char *tr_card_sum_name(const struct tr_card_sum *s)
{
    return s->cards.name;
}

int64_t tr_card_sum_bucket(const struct tr_card_sum *s)
{
    return s->bucket;
}

uint64_t tr_card_sum_bytes(const struct tr_card_sum *s)
{
    return (uint64_t) (s->n_nodes - own_nodes(s)) * (uint64_t) s->piece_floats * sizeof(float);
}

enum t2_status tr_card_sum_place(struct tr_card_sum *s, struct t2_err *err)
{
    uint64_t bytes = tr_card_sum_bytes(s);

    s->received = s->dev->alloc(s->dev, (size_t) bytes);
    if (!s->received)
        return dev_fail_memory(s->dev, bytes, "the exchange of gradients", NULL, err);
    return T2_OK;
}

/* ---- one bucket ---- */

/* Floats of a bucket of n in front of the piece of rank r. */
static int64_t piece_at(const struct tr_card_sum *s, int64_t n, int r)
{
    int64_t lines = (n + LINE - 1) / LINE, at = lines * r / dist_size(s->dist) * LINE;

    return at < n ? at : n;
}

static struct dist_piece floats(int rank, float *x, int64_t n)
{
    return (struct dist_piece){rank, x, (size_t) n * sizeof *x};
}

static enum t2_status transfer(struct tr_card_sum *s, int n_send, int n_receive, struct t2_err *err)
{
    return s->cards.queue(s->cards.state,
                          &(struct dist_transfer){s->send, s->receive, n_send, n_receive},
                          s->dev->native_queue(s->dev, DEV_EXCHANGE), err);
}

/* To each rank its piece of this rank's nodes. */
static enum t2_status scatter(struct tr_card_sum *s, int64_t first, int64_t n, struct t2_err *err)
{
    int me = dist_rank(s->dist), n_send = 0, n_receive = 0;
    int64_t mine = piece_at(s, n, me), length = piece_at(s, n, me + 1) - mine;

    for (int i = 0; i < dist_size(s->dist); i++) {
        int r = (me + i) % dist_size(s->dist);
        int64_t at = piece_at(s, n, r);

        for (int k = s->first_node[r]; k < s->first_node[r + 1]; k++) {
            if (r == me) {
                s->pieces[k] = s->nodes[k - s->first_node[me]] + first + mine;
            } else {
                s->pieces[k] = s->received + n_receive * s->piece_floats;
                s->receive[n_receive++] = floats(r, s->pieces[k], length);
            }
        }
        for (int k = 0; r != me && k < own_nodes(s); k++)
            s->send[n_send++] = floats(r, s->nodes[k] + first + at, piece_at(s, n, r + 1) - at);
    }
    return transfer(s, n_send, n_receive, err);
}

/* Adds the pieces of a span's nodes in place, and says where the sum lies. */
static float *add_span(struct tr_card_sum *s, struct dist_span span, int64_t n, int *node)
{
    struct dist_span left = span, right = span;
    float *x, *y;

    if (s->spans[*node].first == span.first && s->spans[*node].end == span.end)
        return s->pieces[(*node)++];
    left.end = right.first = dist_tree_middle(span);
    x = add_span(s, left, n, node);
    y = add_span(s, right, n, node);
    s->dev->sum_on(s->dev, DEV_EXCHANGE, x, y, n, x);
    return x;
}

/* This rank's piece of the sum to all, and theirs to it. */
static enum t2_status gather(struct tr_card_sum *s, int64_t first, int64_t n, struct t2_err *err)
{
    int me = dist_rank(s->dist), k = 0;
    int64_t mine = piece_at(s, n, me);

    for (int i = 1; i < dist_size(s->dist); i++) {
        int r = (me + i) % dist_size(s->dist);
        int64_t at = piece_at(s, n, r);

        s->send[k] = floats(r, s->sum + first + mine, piece_at(s, n, me + 1) - mine);
        s->receive[k++] = floats(r, s->sum + first + at, piece_at(s, n, r + 1) - at);
    }
    return transfer(s, k, k, err);
}

/* Behind what DEV_COMPUTE has so far. */
static void follow_compute(struct tr_card_sum *s)
{
    s->dev->event_record(s->dev, DEV_COMPUTE, s->computed);
    s->dev->queue_wait(s->dev, DEV_EXCHANGE, s->computed);
}

static enum t2_status exchange(struct tr_card_sum *s, int64_t first, int64_t n, struct t2_err *err)
{
    int me = dist_rank(s->dist), node = 0;
    int64_t mine = piece_at(s, n, me), length = piece_at(s, n, me + 1) - mine;
    float *x;

    follow_compute(s);
    T2_TRY(scatter(s, first, n, err));
    x = add_span(s, (struct dist_span){0, s->n_shards}, length, &node);
    if (x != s->sum + first + mine)
        s->dev->sum_on(s->dev, DEV_EXCHANGE, x, NULL, length, s->sum + first + mine);
    return gather(s, first, n, err);
}

/* ---- a sum ---- */

void tr_card_sum_begin(struct tr_card_sum *s, float *const *nodes, float *sum)
{
    s->nodes = nodes;
    s->sum = sum;
    s->n_done = 0;
}

enum t2_status tr_card_sum_ready(struct tr_card_sum *s, int64_t from, struct t2_err *err)
{
    int64_t n_buckets = (s->n + s->bucket - 1) / s->bucket;

    for (; s->n_done < n_buckets; s->n_done++) {
        int64_t first = (n_buckets - 1 - s->n_done) * s->bucket;
        int64_t n = s->n - first < s->bucket ? s->n - first : s->bucket;

        if (first < from)
            break;
        T2_TRY(exchange(s, first, n, err));
    }
    return T2_OK;
}

static void compute_follows(struct tr_card_sum *s)
{
    s->dev->event_record(s->dev, DEV_EXCHANGE, s->exchanged);
    s->dev->queue_wait(s->dev, DEV_COMPUTE, s->exchanged);
}

enum t2_status tr_card_sum_end(struct tr_card_sum *s, struct t2_err *err)
{
    T2_TRY(tr_card_sum_ready(s, 0, err));
    compute_follows(s);
    return s->cards.check(s->cards.state, err);
}

enum t2_status tr_card_sum_gather(struct tr_card_sum *s, void *values, const size_t *at,
                                  const size_t *bytes, struct t2_err *err)
{
    int me = dist_rank(s->dist), size = dist_size(s->dist);
    struct dist_piece *send = t2_alloc((size_t) size, sizeof *send);
    struct dist_piece *receive = t2_alloc((size_t) size, sizeof *receive);
    enum t2_status st;

    for (int i = 1; i < size; i++) {
        int r = (me + i) % size;

        send[i - 1] = (struct dist_piece){r, (char *) values + at[me], bytes[me]};
        receive[i - 1] = (struct dist_piece){r, (char *) values + at[r], bytes[r]};
    }
    follow_compute(s);
    st = s->cards.queue(s->cards.state, &(struct dist_transfer){send, receive, size - 1, size - 1},
                        s->dev->native_queue(s->dev, DEV_EXCHANGE), err);
    compute_follows(s);
    t2_free(send);
    t2_free(receive);
    return st;
}
