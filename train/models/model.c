/*
 * train/models/model.c - a model with its variables: graphs by batch shape, one arena, running
 * them.
 *
 * A graph is built when a batch shape comes for the first time and kept; training, evaluation and
 * logits have their own.  All of them share one arena, as large as the largest, because only one
 * runs at a time.  Decoding step by step is in model_decoder.c.
 */
#include "train/models/model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/rng.h"
#include "base/signals.h"
#include "base/str.h"
#include "train/models/model_parts.h"
#include "train/models/prepend.h"
#include "train/models/regularise.h"

enum { MAX_GRAPHS = 512 };

/* ---- the position table ---- */

/* Makes the table long enough, without values: what is only planned does not need them, and may be
 * refused for its size.  Graphs, also those of a decoder, hold the address of the table they were
 * built with, so an old one stays as long as the model; together they are no longer than the
 * newest.
 */
enum t2_status mdl_place_positions(struct mdl *m, int64_t n, struct t2_err *err)
{
    int64_t D = mdl_hp_int(m->hp, "hidden_size"), rows = 256;
    float *table;

    if (n <= m->tables.n_positions)
        return T2_OK;
    while (rows < n)
        rows *= 2;
    table = m->dev->alloc(m->dev, (size_t) (rows * D) * sizeof(float));
    if (!table)
        return t2_fail(err, T2_ENOMEM, "not enough memory for positions up to %" PRId64, rows);
    T2_ASSERT(m->n_old_tables < MDL_MAX_OLD_TABLES);
    m->old_tables[m->n_old_tables++] = m->tables.timing;
    m->tables.timing = table;
    m->tables.n_positions = rows;
    m->has_positions = false;
    return T2_OK;
}

/* The timing signal, (n_positions, D), spec §3.3 (common_attention.get_timing_signal_1d): n = D / 2
 * sines, then n cosines, of p / 10000^(i / (n - 1)); a zero column when D is odd. */
static void fill_positions(struct mdl *m)
{
    int64_t D = mdl_hp_int(m->hp, "hidden_size"), n = D / 2;
    double increment = log(10000.0) / (double) (n > 1 ? n - 1 : 1);
    float *row = t2_alloc((size_t) D, sizeof *row);

    for (int64_t p = 0; p < m->tables.n_positions && !m->has_positions; p++) {
        for (int64_t i = 0; i < n; i++) {
            double angle = (double) p * exp(-(double) i * increment);

            row[i] = (float) sin(angle);
            row[n + i] = (float) cos(angle);
        }
        m->dev->upload_now(m->dev, m->tables.timing + p * D, row, (size_t) D * sizeof *row);
    }
    t2_free(row);
    m->has_positions = true;
}

enum t2_status mdl_need_positions(struct mdl *m, int64_t n, struct t2_err *err)
{
    T2_TRY(mdl_place_positions(m, n, err));
    fill_positions(m);
    return T2_OK;
}

/* Images have no positions. */
static enum t2_status place_positions_of(struct mdl *m, const struct mdl_shape *s,
                                         struct t2_err *err)
{
    if (s->height > 0)
        return T2_OK;
    return mdl_place_positions(m,
                               s->inputs_length > s->targets_length ? s->inputs_length
                                                                    : s->targets_length,
                               err);
}

/* ---- graphs ---- */

void mdl_drop_graphs(struct mdl *m)
{
    for (int i = 0; i < m->n_graphs; i++)
        gr_free(m->graphs[i].graph.g);
    m->n_graphs = 0;
}

/* Evaluation and prediction build from eval_hp, where all dropout is 0. */
static void build_graph(struct mdl *m, enum mdl_use use, const struct mdl_shape *shape,
                        struct mdl_graph *out)
{
    struct mdl_build b = {.model = m->kind->name,
                          .hp = use == MDL_USE_TRAIN ? m->hp : m->eval_hp,
                          .problem = &m->problem,
                          .tables = &m->tables};

    memset(out, 0, sizeof *out);
    out->shape = *shape;
    b.g = out->g = gr_new(m->dev, &m->params, use == MDL_USE_TRAIN);
    b.g->remat = m->remat;
    m->kind->build(&b, shape, use == MDL_USE_LOGITS, out);
    T2_ASSERT(!shape->mixed || out->other_labels);
}

/* The tensors that the host reads after a run are kept alive to its end. */
static enum t2_status finish_graph(struct mdl_graph *graph, struct t2_err *err)
{
    struct gr_tensor *keep = graph->logits ? graph->logits : graph->row_stats;
    enum t2_status st = gr_finish(graph->g, graph->loss, &keep, 1, err);

    if (st != T2_OK)
        gr_free(graph->g);
    return st;
}

/* A larger arena is another block, and graphs hold pointers into the old one: they go. */
static enum t2_status need_arena(struct mdl *m, size_t bytes, struct t2_err *err)
{
    char human[32];

    if (bytes <= m->arena_bytes)
        return T2_OK;
    mdl_drop_graphs(m);
    m->dev->free(m->dev, m->arena);
    m->arena_bytes = 0;
    m->arena = m->dev->alloc(m->dev, bytes);
    if (!m->arena)
        return t2_fail(
            err, T2_ENOMEM,
            "not enough memory for activations (%s); make batch_size or max_length smaller",
            t2_human_bytes(bytes, human, sizeof human));
    m->arena_bytes = bytes;
    return T2_OK;
}

static bool same_shape(const struct mdl_shape *a, const struct mdl_shape *b)
{
    return a->batch == b->batch && a->inputs_length == b->inputs_length &&
           a->targets_length == b->targets_length && a->packed == b->packed &&
           a->height == b->height && a->width == b->width && a->channels == b->channels &&
           a->mixed == b->mixed;
}

static struct mdl_cached *find_graph(struct mdl *m, enum mdl_use use, const struct mdl_shape *shape)
{
    for (int i = 0; i < m->n_graphs; i++)
        if (m->graphs[i].use == use && same_shape(&m->graphs[i].graph.shape, shape))
            return &m->graphs[i];
    return NULL;
}

static int least_recently_used(const struct mdl *m)
{
    int oldest = 0;

    for (int i = 1; i < m->n_graphs; i++)
        oldest = m->graphs[i].last_use < m->graphs[oldest].last_use ? i : oldest;
    return oldest;
}

/* The graph for a shape, built when it comes for the first time.  The least recently used one makes
 * room. */
static enum t2_status get_graph(struct mdl *m, enum mdl_use use, const struct mdl_shape *batch,
                                struct mdl_graph **graph, struct t2_err *err)
{
    struct mdl_shape shape = *batch;
    struct mdl_graph built;
    struct mdl_cached *cached;
    int at;

    if (m->kind->round_shape)
        m->kind->round_shape(&shape);
    cached = find_graph(m, use, &shape);
    if (cached) {
        cached->last_use = ++m->clock;
        *graph = &cached->graph;
        return T2_OK;
    }
    T2_TRY(place_positions_of(m, &shape, err));
    fill_positions(m);
    build_graph(m, use, &shape, &built);
    T2_TRY(finish_graph(&built, err));
    {
        size_t bytes = built.g->arena_bytes;
        enum t2_status st = need_arena(m, bytes, err);

        if (st != T2_OK) {
            gr_free(built.g);
            return st;
        }
    }
    gr_bind(built.g, m->arena);
    if (!m->graphs)
        m->graphs = t2_alloc(MAX_GRAPHS, sizeof *m->graphs);
    if (m->n_graphs < MAX_GRAPHS) {
        at = m->n_graphs++;
    } else {
        at = least_recently_used(m);
        gr_free(m->graphs[at].graph.g);
    }
    m->graphs[at] = (struct mdl_cached){use, built, ++m->clock};
    *graph = &m->graphs[at].graph;
    return T2_OK;
}

/* ---- life ---- */

static enum t2_status unknown_kind(const char *name, struct t2_err *err)
{
    struct t2_buf known = {0};

    for (size_t i = 0; i < mdl_count(); i++)
        t2_buf_printf(&known, "%s%s", i ? ", " : "", mdl_name(i));
    t2_fail(err, T2_EUSAGE, "unknown model '%s'; known: %s", name, t2_buf_cstr(&known));
    t2_buf_release(&known);
    return T2_EUSAGE;
}

enum t2_status mdl_new(const char *name, struct dev *dev, const struct mdl_hparams *hp,
                       const struct mdl_problem *problem, enum mdl_mode mode, struct mdl **out,
                       struct t2_err *err)
{
    const struct mdl_kind *kind = mdl_find_kind(name);

    *out = NULL;
    return kind ? mdl_new_of_kind(kind, dev, hp, problem, mode, out, err) : unknown_kind(name, err);
}

enum t2_status mdl_new_of_kind(const struct mdl_kind *kind, struct dev *dev,
                               const struct mdl_hparams *hp, const struct mdl_problem *problem,
                               enum mdl_mode mode, struct mdl **out, struct t2_err *err)
{
    struct mdl_shape smallest = {.batch = 1,
                                 .inputs_length = problem->has_inputs,
                                 .targets_length = 1,
                                 .height = problem->image.height,
                                 .width = problem->image.width,
                                 .channels = problem->image.channels};
    struct mdl_graph graph;
    struct mdl *m;
    enum t2_status st;

    *out = NULL;
    T2_ASSERT(problem->image.height == 0 || (problem->class_labels && !problem->has_inputs));
    if (problem->targets_vocab < 2 || (problem->has_inputs && problem->inputs_vocab < 2))
        return t2_fail(err, T2_EUSAGE, "the vocabulary must have at least 2 entries");
    T2_TRY(kind->check(hp, problem, err));
    T2_TRY(mdl_hparams_check(hp, err));
    m = t2_alloc(1, sizeof *m);
    m->kind = kind;
    m->dev = dev;
    m->hp = mdl_hparams_copy(hp);
    m->eval_hp = mdl_hparams_copy(hp);
    mdl_hparams_for_eval(m->eval_hp);
    if (kind->smooths_evaluation && kind->smooths_evaluation(hp))
        mdl_hp_set_float(m->eval_hp, "label_smoothing", mdl_hp_float(hp, "label_smoothing"));
    m->problem = *problem;
    if (kind->plain_loss && kind->plain_loss(hp))
        m->problem.loss_multiplier = 1.0;
    m->mode = mode;
    gr_params_init(&m->params, dev);
    m->params.values_only = mode != MDL_TRAIN;
    T2_GOTO(st, out, place_positions_of(m, &smallest, err));
    /* The smallest graph tells which variables there are, and whether all can be trained. */
    build_graph(m, mode == MDL_TRAIN ? MDL_USE_TRAIN : MDL_USE_EVAL, &smallest, &graph);
    if (problem->image.height > 0 && !graph.images) {
        gr_free(graph.g);
        st = t2_fail(err, T2_EUNSUPPORTED,
                     "model '%s' does not look at images; resnet, for one, does", kind->name);
        goto out;
    }
    T2_GOTO(st, out, finish_graph(&graph, err));
    gr_free(graph.g);
    T2_GOTO(st, out, gr_params_freeze(&m->params, err));
    mdl_set_regulariser(&m->params, kind, hp);
    *out = m;
    return T2_OK;
out:
    mdl_free(m);
    return st;
}

void mdl_free(struct mdl *m)
{
    if (!m)
        return;
    mdl_drop_graphs(m);
    t2_free(m->graphs);
    m->dev->free(m->dev, m->arena);
    m->dev->free(m->dev, m->tables.timing);
    for (int i = 0; i < m->n_old_tables; i++)
        m->dev->free(m->dev, m->old_tables[i]);
    gr_params_release(&m->params);
    mdl_hparams_free(m->hp);
    mdl_hparams_free(m->eval_hp);
    t2_free(m->host_stats);
    t2_free(m);
}

struct gr_params *mdl_params(struct mdl *m)
{
    return &m->params;
}

const struct mdl_hparams *mdl_hparams_of(const struct mdl *m)
{
    return m->hp;
}

const struct mdl_problem *mdl_problem_of(const struct mdl *m)
{
    return &m->problem;
}

bool mdl_official_search(const struct mdl *m)
{
    return m->kind->official_search;
}

void mdl_set_remat(struct mdl *m, bool remat)
{
    T2_ASSERT(m->n_graphs == 0 && m->arena_bytes == 0);
    m->remat = remat;
}

/* Builds and plans each shape and frees it again: nothing runs, and no arena is allocated. */
enum t2_status mdl_plan_bytes(struct mdl *m, enum mdl_mode mode, const struct mdl_shape *shapes,
                              size_t n_shapes, uint64_t *arena_bytes, struct t2_err *err)
{
    T2_ASSERT(mode == MDL_EVAL || m->mode == MDL_TRAIN);
    *arena_bytes = 0;
    for (size_t i = 0; i < n_shapes; i++) {
        struct mdl_graph graph;

        T2_TRY(place_positions_of(m, &shapes[i], err));
        build_graph(m, mode == MDL_TRAIN ? MDL_USE_TRAIN : MDL_USE_EVAL, &shapes[i], &graph);
        T2_TRY(finish_graph(&graph, err));
        if (graph.g->arena_bytes > *arena_bytes)
            *arena_bytes = graph.g->arena_bytes;
        gr_free(graph.g);
    }
    return T2_OK;
}

enum t2_status mdl_plan_logits(struct mdl *m, const struct mdl_shape *batch, uint64_t *arena_bytes,
                               struct t2_err *err)
{
    struct mdl_shape shape = *batch;
    const struct mdl_cached *cached;
    struct mdl_graph graph;

    if (m->kind->round_shape)
        m->kind->round_shape(&shape);
    cached = find_graph(m, MDL_USE_LOGITS, &shape);
    if (cached) {
        *arena_bytes = cached->graph.g->arena_bytes;
        return T2_OK;
    }
    T2_TRY(place_positions_of(m, &shape, err));
    build_graph(m, MDL_USE_LOGITS, &shape, &graph);
    T2_TRY(finish_graph(&graph, err));
    *arena_bytes = graph.g->arena_bytes;
    gr_free(graph.g);
    return T2_OK;
}

enum t2_status mdl_reserve(struct mdl *m, uint64_t arena_bytes, struct t2_err *err)
{
    return need_arena(m, (size_t) arena_bytes, err);
}

enum t2_status mdl_plan(struct mdl *m, const struct mdl_shape *shapes, size_t n_shapes,
                        uint64_t *arena_bytes, struct t2_err *err)
{
    uint64_t largest;

    T2_TRY(mdl_plan_bytes(m, m->mode, shapes, n_shapes, &largest, err));
    if (arena_bytes)
        *arena_bytes = largest;
    return need_arena(m, (size_t) largest, err);
}

enum t2_status mdl_initialise(struct mdl *m, uint64_t seed, struct t2_err *err)
{
    return gr_params_initialise(&m->params, mdl_hp_string(m->hp, "initializer"),
                                mdl_hp_float(m->hp, "initializer_gain"), seed, err);
}

void mdl_set_profile(struct mdl *m, struct gr_profile *profile)
{
    m->profile = profile;
}

/* ---- running ---- */

static void upload_floats(struct mdl *m, struct gr_tensor *t, const float *values)
{
    if (t)
        m->dev->upload(m->dev, t->value, values, (size_t) t->n * sizeof *values);
}

static void upload_ids(struct mdl *m, struct gr_tensor *t, const int32_t *ids)
{
    if (t)
        m->dev->upload_now(m->dev, t->ids, ids, (size_t) t->n * sizeof *ids);
}

/* Ids (rows, length); the graph's rows may be longer (a model that rounds shapes), with padding at
 * the end. */
static void upload_rows(struct mdl *m, struct gr_tensor *t, const int32_t *ids, int32_t length)
{
    int64_t rows, width;
    int32_t *padded;

    if (!t || t->dims[1] == length) {
        upload_ids(m, t, ids);
        return;
    }
    rows = t->dims[0];
    width = t->dims[1];
    T2_ASSERT(t->rank == 2 && width > length);
    padded = t2_alloc((size_t) t->n, sizeof *padded);
    for (int64_t r = 0; r < rows; r++)
        memcpy(padded + r * width, ids + r * length, (size_t) length * sizeof *ids);
    upload_ids(m, t, padded);
    t2_free(padded);
}

/* symbol_dropout of a training step and the stream that it draws from; rate 0 drops nothing. */
struct drop {
    double rate;
    uint64_t seed, step;
    bool training;
};

/* Ids of which some are 0 (dropout_no_scaling of the original's modalities): what is dropped is
 * embedded as zeros and hidden from attention, as padding is. */
static void upload_dropped(struct mdl *m, struct gr_tensor *t, const int32_t *ids, int32_t length,
                           const struct drop *drop, uint64_t side)
{
    struct t2_rng rng;
    int32_t *kept;
    int64_t n;

    if (!t || drop->rate <= 0.0) {
        upload_rows(m, t, ids, length);
        return;
    }
    n = t->dims[0] * length;
    kept = t2_alloc((size_t) n, sizeof *kept);
    t2_rng_init(&rng, drop->seed, T2_RNG_SYMBOL, drop->step, side);
    for (int64_t i = 0; i < n; i++)
        kept[i] = t2_rng_uniform_double(&rng) < 1.0 - drop->rate ? ids[i] : 0;
    upload_rows(m, t, kept, length);
    t2_free(kept);
}

static void upload_labels(struct mdl *m, const struct mdl_graph *g, const struct mdl_batch *batch,
                          int32_t *labels)
{
    if (strcmp(mdl_hp_string(m->hp, "prepend_mode"), "none") == 0)
        memcpy(labels, batch->targets,
               (size_t) batch->batch * (size_t) batch->targets_length * sizeof *labels);
    else
        mdl_prepend_labels(batch->targets, batch->batch, batch->targets_length, labels);
    upload_rows(m, g->labels, labels, batch->targets_length);
}

/* Feeds a graph; returns the number of labels that count. */
static int64_t feed(struct mdl *m, const struct mdl_graph *g, const struct mdl_batch *batch,
                    const struct drop *drop)
{
    int64_t n = (int64_t) batch->batch * batch->targets_length, n_labels = 0;
    int32_t *derived = g->labels || g->levels ? t2_alloc((size_t) n, sizeof *derived) : NULL;

    upload_floats(m, g->images, batch->images);
    upload_floats(m, g->label_weights, batch->label_weights);
    upload_ids(m, g->other_labels, batch->other_labels);
    if (m->kind->draw) {
        struct mdl_draw draw = {drop->training, drop->seed, drop->step, m->recorded_draws};

        m->kind->draw(g, m->dev, m->hp, &draw);
    }
    upload_dropped(m, g->inputs, batch->inputs, batch->inputs_length, drop, 0);
    upload_ids(m, g->inputs_segmentation, batch->inputs_segmentation);
    upload_ids(m, g->inputs_position, batch->inputs_position);
    if (g->labels)
        upload_dropped(m, g->targets, batch->targets, batch->targets_length, drop, 1);
    else
        upload_rows(m, g->targets, batch->targets, batch->targets_length);
    upload_ids(m, g->targets_segmentation, batch->targets_segmentation);
    upload_ids(m, g->targets_position, batch->targets_position);
    if (g->levels) {
        mdl_prepend_levels(batch->targets, batch->batch, batch->targets_length, derived);
        upload_ids(m, g->levels, derived);
    }
    if (g->labels)
        upload_labels(m, g, batch, derived);
    if (m->problem.class_labels)
        n_labels = n;
    for (int64_t i = 0; i < n && !m->problem.class_labels; i++)
        n_labels += (g->labels ? derived[i] : batch->targets[i]) != 0;
    t2_free(derived);
    return n_labels;
}

/* Sums of the rows' statistics, in the order of the rows; padding that a graph has besides is
 * passed over. */
static void sum_stats(struct mdl *m, const struct mdl_graph *graph, const struct mdl_batch *batch,
                      struct mdl_loss *loss)
{
    const struct gr_tensor *stats = graph->row_stats;
    int64_t per_example = stats->dims[0] / batch->batch;

    if (m->host_stats_floats < stats->n) {
        t2_free(m->host_stats);
        m->host_stats = t2_alloc((size_t) stats->n, sizeof *m->host_stats);
        m->host_stats_floats = stats->n;
    }
    m->dev->download(m->dev, m->host_stats, stats->value, (size_t) stats->n * sizeof(float));
    memset(loss, 0, sizeof *loss);
    for (int64_t b = 0; b < batch->batch; b++) {
        double hits = 0.0, weight = 0.0;

        for (int64_t l = 0; l < batch->targets_length; l++) {
            const float *row = m->host_stats + 4 * (b * per_example + l);

            loss->numerator += (double) row[0];
            loss->log_prob += (double) row[2];
            hits += row[1] == 1.0f ? 1.0 : 0.0;
            loss->n_top5 += row[1] > 0.0f ? 1.0 : 0.0;
            weight += (double) row[3];
        }
        loss->n_correct += hits;
        loss->denominator += weight;
        loss->n_sequences_correct += hits >= weight ? 1.0 : 0.0;
    }
    loss->numerator *= m->problem.loss_multiplier;
}

/* Callers divide the numerator by the denominator; the regulariser is not a mean, so it is
 * multiplied first. */
static void add_regulariser(const struct mdl *m, bool gradients, struct mdl_loss *loss)
{
    loss->regulariser = mdl_regulariser(&m->params, gradients);
    loss->numerator += loss->regulariser * loss->denominator;
}

/* loss = multiplier * sum of row losses / number of labels that count + regulariser; the gradient
 * of it is left in the parameters' gradients.  The number of labels is known before the graph runs,
 * so the division is part of the gradient's scale. */
enum t2_status mdl_train_step(struct mdl *m, const struct mdl_batch *batch, uint64_t seed,
                              uint64_t step, struct mdl_loss *loss, struct t2_err *err)
{
    struct mdl_shape shape = mdl_shape_of(batch);
    struct gr_context context = {.step = step, .profile = m->profile};
    int64_t n_targets;
    struct mdl_graph *graph;

    T2_ASSERT(m->mode == MDL_TRAIN);
    T2_TRY(mdl_check_batch(m, batch, err));
    T2_TRY(mdl_check_labels(m, batch, err));
    T2_TRY(get_graph(m, MDL_USE_TRAIN, &shape, &graph, err));
    t2_rng_key(seed, T2_RNG_DROPOUT, context.dropout_key);
    n_targets = feed(m, graph, batch,
                     &(struct drop){mdl_hp_float(m->hp, "symbol_dropout"), seed, step, true});
    context.grad_scale =
        (float) (m->problem.loss_multiplier / (double) (n_targets > 1 ? n_targets : 1));
    gr_run_forward(graph->g, &context);
    gr_run_backward(graph->g, &context);
    sum_stats(m, graph, batch, loss);
    add_regulariser(m, true, loss);
    return dev_check(m->dev, err);
}

enum t2_status mdl_evaluate(struct mdl *m, const struct mdl_batch *batch, struct mdl_loss *loss,
                            struct t2_err *err)
{
    struct mdl_shape shape = mdl_shape_of(batch);
    struct gr_context context = {0};
    struct mdl_graph *graph;

    T2_TRY(mdl_check_batch(m, batch, err));
    T2_TRY(mdl_check_labels(m, batch, err));
    T2_TRY(get_graph(m, MDL_USE_EVAL, &shape, &graph, err));
    (void) feed(m, graph, batch, &(struct drop){0});
    gr_run_forward(graph->g, &context);
    sum_stats(m, graph, batch, loss);
    if (!m->kind->l2_in_training_only)
        add_regulariser(m, false, loss);
    return dev_check(m->dev, err);
}

static enum t2_status run_logits(struct mdl *m, const struct mdl_batch *batch,
                                 struct gr_tensor **logits, struct t2_err *err)
{
    struct mdl_shape shape = mdl_shape_of(batch);
    struct gr_context context = {.may_stop = true};
    struct mdl_graph *graph;

    T2_TRY(mdl_check_batch(m, batch, err));
    T2_TRY(get_graph(m, MDL_USE_LOGITS, &shape, &graph, err));
    (void) feed(m, graph, batch, &(struct drop){0});
    gr_run_forward(graph->g, &context);
    T2_TRY(t2_check_interrupt(err));
    *logits = graph->logits;
    return T2_OK;
}

enum t2_status mdl_logits(struct mdl *m, const struct mdl_batch *batch, float *logits,
                          struct t2_err *err)
{
    int64_t per_example, columns;
    struct gr_tensor *all;
    size_t wanted;

    T2_TRY(run_logits(m, batch, &all, err));
    per_example = all->n / batch->batch;
    columns = all->dims[all->rank - 1];
    wanted = (size_t) (m->problem.class_labels ? per_example : batch->targets_length * columns);
    for (int64_t b = 0; b < batch->batch; b++)
        m->dev->download(m->dev, logits + (size_t) b * wanted, all->value + b * per_example,
                         wanted * sizeof *logits);
    return dev_check(m->dev, err);
}

enum t2_status mdl_class_logits(struct mdl *m, const struct mdl_batch *batch, float *logits,
                                struct t2_err *err)
{
    size_t n = (size_t) m->problem.targets_vocab, columns;
    struct gr_tensor *all;
    float *rows;

    T2_ASSERT(m->problem.class_labels);
    T2_TRY(run_logits(m, batch, &all, err));
    columns = (size_t) all->n / (size_t) batch->batch;
    rows = t2_alloc((size_t) all->n, sizeof *rows);
    m->dev->download(m->dev, rows, all->value, (size_t) all->n * sizeof *rows);
    for (int32_t i = 0; i < batch->batch; i++)
        memcpy(logits + (size_t) i * n, rows + (size_t) i * columns, n * sizeof *rows);
    t2_free(rows);
    return dev_check(m->dev, err);
}
