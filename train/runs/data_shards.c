/*
 * train/runs/data_shards.c - micro-batches, the exchange between the backward pass and the update.
 *
 * The gradients of a rank's shards are summed on the device as soon as two neighbours in the tree
 * are there; what cannot be joined waits in buffers, the last of the nodes in the parameters'
 * gradients themselves.  With several ranks the nodes are then summed over all (dist/tree_sum.h),
 * from the host's memory: where the device has memory of its own they are copied there and back in
 * DEV_EXCHANGE, or stay there and go from card to card (card_sum.h).
 *
 * What the shards' forward passes bring to moving averages is found by running each from states of
 * 0, and added on the host in the order of the shards.
 */
#include "train/runs/data_shards.h"

#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "train/device/kernels.h"
#include "train/dist/shard_tree.h"
#include "train/graph/graph.h"
#include "train/input/rank.h"
#include "train/runs/card_sum.h"

/* A state that batches move: floats at .. at + n - 1 of all of them, `offset` of the values. */
struct state {
    int64_t offset, n, at;
    float keep;
};

/* What is known of a shard of the batch, on every rank. */
struct shard_sums {
    struct dev_loss_sums loss;
    int64_t rows;
};

struct tr_shards {
    struct dist *dist;
    struct dev *dev;
    struct mdl *model;
    int n_shards;
    struct dist_span here; /* this rank's shards */
    int n_nodes;           /* that cover them */
    /* Device memory, (n_floats) each.  nodes[i] is buffers[i], the last the gradients. */
    float **buffers;
    int n_buffers;
    struct tr_card_sum *cards; /* NULL: one rank, or no way from card to card */
    struct dist_tree_sum *sum; /* NULL: one rank, or cards */
    float **host_nodes;        /* (n_nodes) where the device has memory of its own */
    float *host_sum;
    float **nodes; /* (n_nodes): where tree_sum finds them */
    struct t2_err
        *failure; /* of the exchange beside the backward pass; NULL: there is none beside */
    struct dev_event *there;
    struct state *states;
    int n_states;
    int64_t n_state_floats;
    float *before;           /* (n_state_floats) states before the step */
    float *brought;          /* (n_shards, n_state_floats) what each shard brings */
    struct shard_sums *sums; /* (n_shards) */
    size_t *at, *bytes;      /* (ranks) for gathering of what each shard has */
};

/* ---- life ---- */

static int64_t n_floats(const struct tr_shards *s)
{
    return mdl_params(s->model)->n_floats;
}

/* The most nodes that wait while the shards are computed, beside the one in the gradients. */
static int most_waiting(const struct tr_shards *s)
{
    int most = 0;

    for (int end = s->here.first + 1; end <= s->here.end; end++) {
        int n = dist_tree_cover(s->n_shards, (struct dist_span){s->here.first, end}, NULL) - 1;

        most = n + (end < s->here.end) > most ? n + (end < s->here.end) : most;
    }
    return most;
}

/* Gradients are copied to the host, and back. */
static bool through_host(const struct tr_shards *s)
{
    return s->sum && !s->dev->host_memory;
}

enum t2_status tr_shards_place(struct tr_shards *s, struct t2_err *err)
{
    size_t bytes = (size_t) n_floats(s) * sizeof(float);
    int n = most_waiting(s);

    s->buffers = t2_alloc((size_t) n, sizeof(float *));
    for (; s->n_buffers < n; s->n_buffers++) {
        s->buffers[s->n_buffers] = s->dev->alloc(s->dev, bytes);
        if (!s->buffers[s->n_buffers])
            return t2_fail(err, T2_ENOMEM, "not enough memory for the sums over data shards");
    }
    if (s->cards)
        return tr_card_sum_place(s->cards, err);
    if (!through_host(s))
        return T2_OK;
    s->there = s->dev->event_new(s->dev);
    s->host_nodes = t2_alloc((size_t) s->n_nodes, sizeof(float *));
    s->host_sum = s->dev->alloc_host(s->dev, bytes);
    for (int i = 0; i < s->n_nodes; i++)
        s->host_nodes[i] = s->dev->alloc_host(s->dev, bytes);
    for (int i = 0; i < s->n_nodes; i++)
        if (!s->host_nodes[i] || !s->host_sum)
            return t2_fail(err, T2_ENOMEM, "not enough memory for the exchange of gradients");
    return T2_OK;
}

static void list_states(struct tr_shards *s)
{
    const struct gr_params *p = mdl_params(s->model);

    s->states = t2_alloc((size_t) p->n_params, sizeof *s->states);
    for (int i = 0; i < p->n_params; i++) {
        if (!p->params[i].moves)
            continue;
        s->states[s->n_states++] = (struct state){.offset = p->params[i].offset,
                                                  .n = p->params[i].n,
                                                  .at = s->n_state_floats,
                                                  .keep = p->params[i].keep};
        s->n_state_floats += p->params[i].n;
    }
    s->before = t2_alloc((size_t) s->n_state_floats, sizeof(float));
    s->brought = t2_alloc((size_t) (s->n_state_floats * s->n_shards), sizeof(float));
}

/* From card to card, where that can be; numbers travel as float32. */
static void connect_cards(struct tr_shards *s, enum dist_number number)
{
    struct t2_err why = T2_ERR_INIT;

    if (!s->dev->native_queue || number != DIST_FLOAT32)
        return;
    if (tr_card_sum_new(s->dist, s->dev, s->n_shards, n_floats(s), &s->cards, &why) != T2_OK &&
        dist_rank(s->dist) == 0)
        t2_warn("gradients travel by way of the hosts' memory: %s", why.message);
    if (s->cards && dist_rank(s->dist) == 0)
        t2_info("gradients travel from card to card by %s", tr_card_sum_name(s->cards));
}

struct tr_shards *tr_shards_new(struct dist *dist, struct dev *dev, struct mdl *model, int n_shards,
                                enum dist_number number)
{
    struct tr_shards *s = t2_alloc(1, sizeof *s);
    size_t n_ranks = (size_t) dist_size(dist);

    s->dist = dist;
    s->dev = dev;
    s->model = model;
    s->n_shards = n_shards;
    s->here = dist_tree_of_rank(n_shards, dist_rank(dist), dist_size(dist));
    s->n_nodes = dist_tree_cover(n_shards, s->here, NULL);
    s->sums = t2_alloc((size_t) n_shards, sizeof *s->sums);
    s->at = t2_alloc(n_ranks, sizeof *s->at);
    s->bytes = t2_alloc(n_ranks, sizeof *s->bytes);
    s->nodes = t2_alloc((size_t) s->n_nodes, sizeof(float *));
    list_states(s);
    if (n_ranks > 1)
        connect_cards(s, number);
    if (n_ranks > 1 && !s->cards)
        s->sum = dist_tree_sum_new(dist, n_shards, n_floats(s), 0, number, dev_host_pool(dev));
    return s;
}

void tr_shards_free(struct tr_shards *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->n_buffers; i++)
        s->dev->free(s->dev, s->buffers[i]);
    for (int i = 0; s->host_nodes && i < s->n_nodes; i++)
        s->dev->free_host(s->dev, s->host_nodes[i]);
    if (s->host_sum)
        s->dev->free_host(s->dev, s->host_sum);
    if (s->there)
        s->dev->event_free(s->dev, s->there);
    dist_tree_sum_free(s->sum);
    tr_card_sum_free(s->cards);
    t2_free(s->buffers);
    t2_free(s->host_nodes);
    t2_free(s->nodes);
    t2_free(s->states);
    t2_free(s->before);
    t2_free(s->brought);
    t2_free(s->sums);
    t2_free(s->at);
    t2_free(s->bytes);
    t2_free(s);
}

void tr_shards_bytes(const struct tr_shards *s, uint64_t *device, uint64_t *host)
{
    uint64_t vector = (uint64_t) n_floats(s) * sizeof(float);

    *device = (uint64_t) most_waiting(s) * vector;
    if (s->cards)
        *device += tr_card_sum_bytes(s->cards);
    *host = (uint64_t) (s->n_shards + 1) * (uint64_t) s->n_state_floats * sizeof(float);
    if (through_host(s))
        *host += (uint64_t) (s->n_nodes + 1) * vector;
    if (s->sum)
        *host += dist_tree_sum_bytes(s->sum);
}

/* ---- shards of a batch ---- */

/* Rows of the batch of all ranks. */
static struct in_span rows_of(int32_t all_rows, int shard, int n_shards)
{
    return in_rank_rows((struct in_rank){shard, n_shards}, all_rows);
}

/* The rows of a shard, of those that this rank has. */
static struct mdl_batch cut(const struct mdl_batch *b, int shard, int n_shards)
{
    struct in_span rows = rows_of(b->all_rows, shard, n_shards);
    struct mdl_batch part = *b;
    int64_t at = rows.first - b->first_row;
    int64_t inputs = at * b->inputs_length, targets = at * b->targets_length;
    int64_t pixels = at * b->height * b->width * b->channels;

    if (rows.n == b->batch)
        return part;
    part.batch = rows.n;
    part.first_row = rows.first;
    part.sent = 0;
#define MOVE(field, n) part.field = b->field ? b->field + (n) : NULL
    MOVE(inputs, inputs);
    MOVE(targets, targets);
    MOVE(values, at * b->n_values);
    MOVE(inputs_segmentation, inputs);
    MOVE(inputs_position, inputs);
    MOVE(targets_segmentation, targets);
    MOVE(targets_position, targets);
    MOVE(targets_mask, targets);
    MOVE(images, pixels);
    MOVE(image_bytes, pixels);
    MOVE(mirrored, at);
    MOVE(other_labels, at);
    MOVE(label_weights, at);
#undef MOVE
    return part;
}

/* What every rank has of its shards, `bytes` of each, to all. */
static enum t2_status gather(struct tr_shards *s, void *of_shards, size_t bytes, struct t2_err *err)
{
    for (int r = 0; r < dist_size(s->dist); r++) {
        struct dist_span span = dist_tree_of_rank(s->n_shards, r, dist_size(s->dist));

        s->at[r] = (size_t) span.first * bytes;
        s->bytes[r] = (size_t) (span.end - span.first) * bytes;
    }
    return dist_all_gather_parts(s->dist, of_shards, s->at, s->bytes, err);
}

/* ---- moving averages ---- */

static void save_states(struct tr_shards *s)
{
    const struct gr_params *p = mdl_params(s->model);

    for (int i = 0; i < s->n_states; i++)
        s->dev->download(s->dev, s->before + s->states[i].at, p->values + s->states[i].offset,
                         (size_t) s->states[i].n * sizeof(float));
}

static void zero_states(struct tr_shards *s)
{
    const struct gr_params *p = mdl_params(s->model);

    for (int i = 0; i < s->n_states; i++)
        s->dev->zero(s->dev, p->values + s->states[i].offset,
                     (size_t) s->states[i].n * sizeof(float));
}

static void take_states(struct tr_shards *s, int shard)
{
    const struct gr_params *p = mdl_params(s->model);
    float *to = s->brought + shard * s->n_state_floats;

    for (int i = 0; i < s->n_states; i++)
        s->dev->download(s->dev, to + s->states[i].at, p->values + s->states[i].offset,
                         (size_t) s->states[i].n * sizeof(float));
}

static void move_states(struct tr_shards *s)
{
    const struct gr_params *p = mdl_params(s->model);

    for (int i = 0; i < s->n_states; i++) {
        const struct state *state = &s->states[i];
        float *x = s->before + state->at;

        for (int k = 0; k < s->n_shards; k++) {
            const float *brings = s->brought + k * s->n_state_floats + state->at;

            for (int64_t j = 0; j < state->n && s->sums[k].rows > 0; j++)
                x[j] = state->keep * x[j] + brings[j];
        }
        s->dev->upload_now(s->dev, p->values + state->offset, x, (size_t) state->n * sizeof(float));
    }
}

/* ---- gradients ---- */

static void add(struct tr_shards *s, const float *x, float *to)
{
    s->dev->kernels->blend(
        s->dev, &(struct dev_blend_args){.x = x, .n = n_floats(s), .keep = 1, .take = 1, .y = to});
}

/* The gradients are those of `shard`: joined with what waits for them, or left to wait. */
static void join(struct tr_shards *s, int shard, struct dist_span *waiting, int *n_waiting)
{
    float *grads = mdl_params(s->model)->grads;
    struct dist_span node = {shard, shard + 1};

    while (
        *n_waiting > 0 &&
        dist_tree_has(s->n_shards, (struct dist_span){waiting[*n_waiting - 1].first, node.end})) {
        node.first = waiting[--*n_waiting].first;
        add(s, s->buffers[*n_waiting], grads);
    }
    if (node.end == s->here.end)
        return;
    s->dev->copy(s->dev, s->buffers[*n_waiting], grads, (size_t) n_floats(s) * sizeof(float));
    waiting[(*n_waiting)++] = node;
}

/*
 * The exchange may go on beside the backward pass where that is on the host's processor, or is
 * queued as the exchange is, and of the rank's only shard: sums of several are there when the last
 * is.
 */
static bool goes_beside(const struct tr_shards *s)
{
    return (s->cards || (s->sum && s->dev->host_memory && !s->dev->replay)) &&
           s->here.end - s->here.first == 1;
}

static void hear(void *context, int64_t from)
{
    struct tr_shards *s = context;

    enum t2_status st = s->failure->status;

    if (st == T2_OK)
        st = s->cards ? tr_card_sum_ready(s->cards, from, s->failure)
                      : dist_tree_sum_ready(s->sum, from, s->failure);
    T2_ASSERT(st == s->failure->status);
}

static void begin_exchange(struct tr_shards *s)
{
    float *grads = mdl_params(s->model)->grads;

    for (int i = 0; i < s->n_nodes; i++)
        s->nodes[i] = s->host_nodes ? s->host_nodes[i] : i < s->n_nodes - 1 ? s->buffers[i] : grads;
    if (s->cards)
        tr_card_sum_begin(s->cards, s->nodes, grads);
    else
        dist_tree_sum_begin(s->sum, s->nodes, s->host_sum ? s->host_sum : grads);
}

static void download_nodes(struct tr_shards *s)
{
    size_t bytes = (size_t) n_floats(s) * sizeof(float);
    struct dev *d = s->dev;

    d->event_record(d, DEV_COMPUTE, s->there);
    d->queue_wait(d, DEV_EXCHANGE, s->there);
    for (int i = 0; i < s->n_nodes; i++)
        d->download_on(d, DEV_EXCHANGE, s->host_nodes[i],
                       i < s->n_nodes - 1 ? s->buffers[i] : mdl_params(s->model)->grads, bytes);
    d->event_record(d, DEV_EXCHANGE, s->there);
    d->event_wait(d, s->there);
}

static void upload_sum(struct tr_shards *s)
{
    struct dev *d = s->dev;

    d->upload_on(d, DEV_EXCHANGE, mdl_params(s->model)->grads, s->host_sum,
                 (size_t) n_floats(s) * sizeof(float));
    d->event_record(d, DEV_EXCHANGE, s->there);
    d->queue_wait(d, DEV_COMPUTE, s->there);
    d->event_wait(d, s->there);
}

/* Sums over all ranks, from the host's memory and back where they do not go from card to card. */
static enum t2_status end_exchange(struct tr_shards *s, struct t2_err *err)
{
    if (s->cards)
        return tr_card_sum_end(s->cards, err);
    if (s->host_sum)
        download_nodes(s);
    T2_TRY(dist_tree_sum_end(s->sum, err));
    if (s->host_sum)
        upload_sum(s);
    return T2_OK;
}

/* ---- a step ---- */

enum t2_status tr_shards_agree(struct dist *dist, const struct tr_word *mine, struct tr_word *all,
                               struct t2_err *err)
{
    struct tr_word *words = t2_alloc((size_t) dist_size(dist), sizeof *words);
    enum t2_status st = dist_all_gather(dist, mine, sizeof *mine, words, err);

    *all = (struct tr_word){.saves = words[0].saves};
    for (int r = 0; r < dist_size(dist); r++) {
        all->n_targets += words[r].n_targets;
        all->stops |= words[r].stops;
        all->writes |= words[r].writes;
    }
    t2_free(words);
    return st;
}

static enum t2_status compute(struct tr_shards *s, const struct mdl_batch *batch, int64_t n_targets,
                              uint64_t seed, uint64_t step, struct t2_err *err)
{
    const struct gr_params *p = mdl_params(s->model);
    struct dist_span *waiting = t2_alloc((size_t) s->n_buffers + 1, sizeof *waiting);
    enum t2_status st = T2_OK;
    int n_waiting = 0;

    for (int shard = s->here.first; shard < s->here.end && st == T2_OK; shard++) {
        struct mdl_batch part = cut(batch, shard, s->n_shards);

        s->sums[shard] = (struct shard_sums){.rows = part.batch};
        if (part.batch > 0) {
            zero_states(s);
            st = mdl_queue_gradients(s->model, &part, n_targets, seed, step, err);
            if (st != T2_OK)
                break;
            s->dev->download(s->dev, &s->sums[shard].loss, mdl_sums_on_device(s->model),
                             sizeof s->sums[shard].loss);
            take_states(s, shard);
        } else {
            s->dev->zero(s->dev, p->grads, (size_t) n_floats(s) * sizeof(float));
        }
        join(s, shard, waiting, &n_waiting);
    }
    t2_free(waiting);
    return st;
}

/* In the order of the shards. */
static void upload_sums(struct tr_shards *s)
{
    struct dev_loss_sums all = {0};

    for (int k = 0; k < s->n_shards; k++) {
        const struct dev_loss_sums *x = &s->sums[k].loss;

        all.loss += x->loss;
        all.log_prob += x->log_prob;
        all.n_right += x->n_right;
        all.n_top5 += x->n_top5;
        all.weight += x->weight;
        all.n_examples_right += x->n_examples_right;
        all.ponder += x->ponder;
    }
    s->dev->upload_now(s->dev, mdl_sums_on_device(s->model), &all, sizeof all);
}

enum t2_status tr_shards_queue_step(struct tr_shards *s, const struct mdl_batch *batch,
                                    int64_t n_targets, uint64_t seed, uint64_t step,
                                    struct t2_err *err)
{
    struct t2_err failure = T2_ERR_INIT;
    const struct gr_listener listener = {hear, s, s->cards ? tr_card_sum_bucket(s->cards) : 0};
    enum t2_status st;

    s->failure = &failure;
    save_states(s);
    if (s->sum || s->cards)
        begin_exchange(s);
    if (goes_beside(s))
        mdl_set_listener(s->model, &listener);
    st = compute(s, batch, n_targets, seed, step, err);
    mdl_set_listener(s->model, NULL);
    T2_TRY(st);
    if (failure.status != T2_OK) {
        *err = failure;
        return failure.status;
    }
    if (s->sum || s->cards)
        T2_TRY(end_exchange(s, err));
    T2_TRY(gather(s, s->sums, sizeof *s->sums, err));
    if (s->n_state_floats > 0)
        T2_TRY(gather(s, s->brought, (size_t) s->n_state_floats * sizeof(float), err));
    move_states(s);
    upload_sums(s);
    mdl_queue_regulariser(s->model);
    return T2_OK;
}

/* ---- values ---- */

enum t2_status tr_shards_gather_values(struct tr_shards *s, const size_t *at, const size_t *bytes,
                                       struct t2_err *err)
{
    char *values = (char *) mdl_params(s->model)->values, *host = (char *) s->host_sum;
    size_t me = (size_t) dist_rank(s->dist), all = (size_t) n_floats(s) * sizeof(float);
    size_t end = at[me] + bytes[me];

    gr_values_changed(mdl_params(s->model));
    if (s->cards)
        return tr_card_sum_gather(s->cards, values, at, bytes, err);
    if (!host)
        return dist_all_gather_parts(s->dist, values, at, bytes, err);
    s->dev->download(s->dev, host + at[me], values + at[me], bytes[me]);
    T2_TRY(dist_all_gather_parts(s->dist, host, at, bytes, err));
    s->dev->upload_now(s->dev, values, host, at[me]);
    s->dev->upload_now(s->dev, values + end, host + end, all - end);
    return T2_OK;
}

/* ---- evaluation ---- */

/* But for what the ranks' rows add to the loss, which counts for the targets of all. */
static void add_loss(struct mdl_loss *sum, const struct mdl_loss *x)
{
    sum->numerator += x->numerator - x->ponder * x->denominator;
    sum->denominator += x->denominator;
    sum->n_correct += x->n_correct;
    sum->n_top5 += x->n_top5;
    sum->log_prob += x->log_prob;
    sum->masked_numerator += x->masked_numerator - x->ponder * x->masked_denominator;
    sum->masked_denominator += x->masked_denominator;
    sum->masked_log_prob += x->masked_log_prob;
    sum->n_sequences_correct += x->n_sequences_correct;
    sum->regulariser = x->regulariser > sum->regulariser ? x->regulariser : sum->regulariser;
    sum->ponder += x->ponder;
}

/* The rows of every rank, which are those of its shards, to all: data (rows, length). */
static enum t2_status gather_rows(struct dist *dist, int n_shards, int32_t rows, int32_t length,
                                  int32_t *data, struct t2_err *err)
{
    size_t n_ranks = (size_t) dist_size(dist), row_bytes = (size_t) length * sizeof *data;
    size_t *at = t2_alloc(n_ranks, sizeof *at), *bytes = t2_alloc(n_ranks, sizeof *bytes);
    enum t2_status st;

    for (size_t r = 0; r < n_ranks; r++) {
        struct dist_span span = dist_tree_of_rank(n_shards, (int) r, (int) n_ranks);
        int32_t end = 0;

        at[r] = span.first < span.end
                    ? (size_t) rows_of(rows, span.first, n_shards).first * row_bytes
                    : 0;
        for (int k = span.first; k < span.end; k++) {
            struct in_span part = rows_of(rows, k, n_shards);

            end = part.first + part.n;
        }
        bytes[r] = span.first < span.end ? (size_t) end * row_bytes - at[r] : 0;
    }
    st = dist_all_gather_parts(dist, data, at, bytes, err);
    t2_free(at);
    t2_free(bytes);
    return st;
}

static enum t2_status gather_predicted(struct dist *dist, int n_shards, struct tr_predicted *p,
                                       struct t2_err *err)
{
    T2_TRY(gather_rows(dist, n_shards, p->rows, p->length, p->ids, err));
    T2_TRY(gather_rows(dist, n_shards, p->rows, p->length, p->labels, err));
    return p->wants_inputs ? gather_rows(dist, n_shards, p->rows, p->inputs_length, p->inputs, err)
                           : T2_OK;
}

enum t2_status tr_shards_evaluate(struct dist *dist, struct mdl *model, int n_shards,
                                  const struct mdl_batch *batch, enum t2_status mine,
                                  struct mdl_loss *loss, struct tr_predicted *predicted,
                                  struct t2_err *err)
{
    size_t n_ranks = (size_t) dist_size(dist);
    struct dist_span here = dist_tree_of_rank(n_shards, dist_rank(dist), dist_size(dist));
    struct mdl_loss *of_shards = t2_alloc((size_t) n_shards, sizeof *of_shards);
    size_t *at = t2_alloc(n_ranks, sizeof *at), *bytes = t2_alloc(n_ranks, sizeof *bytes);
    enum t2_status st = mine;

    if (st == T2_OK && predicted)
        tr_predicted_start(predicted, batch);
    for (int k = here.first; k < here.end && st == T2_OK; k++) {
        struct mdl_batch part = cut(batch, k, n_shards);

        if (part.batch > 0)
            st = mdl_evaluate(model, &part, &of_shards[k], err);
        if (part.batch > 0 && predicted && st == T2_OK)
            st = tr_predicted_take(predicted, model, &part, err);
    }
    st = dist_agree(dist, st, err);
    for (size_t r = 0; r < n_ranks; r++) {
        struct dist_span span = dist_tree_of_rank(n_shards, (int) r, (int) n_ranks);

        at[r] = (size_t) span.first * sizeof *of_shards;
        bytes[r] = (size_t) (span.end - span.first) * sizeof *of_shards;
    }
    if (st == T2_OK)
        st = dist_all_gather_parts(dist, of_shards, at, bytes, err);
    if (st == T2_OK && predicted)
        st = gather_predicted(dist, n_shards, predicted, err);
    *loss = (struct mdl_loss){0};
    for (int k = 0; k < n_shards; k++)
        add_loss(loss, &of_shards[k]);
    loss->numerator += loss->ponder * loss->denominator;
    loss->masked_numerator += loss->ponder * loss->masked_denominator;
    t2_free(of_shards);
    t2_free(at);
    t2_free(bytes);
    return st;
}
