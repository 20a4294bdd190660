/*
 * train/models/model_run.c - running a model's graphs: a batch is fed, its losses or logits come
 * back.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "base/signals.h"
#include "base/str.h"
#include "train/models/choice.h"
#include "train/models/model_parts.h"
#include "train/models/prepend.h"
#include "train/models/regularise.h"

/* What is of the batch lies on the device already. */
static void fill(struct mdl *m, void *to, const void *from, size_t bytes)
{
    const void *there = mdl_stages_find(&m->stages, from);

    if (there)
        m->dev->copy(m->dev, to, there, bytes);
    else
        m->dev->upload_now(m->dev, to, from, bytes);
}

static void upload_floats(struct mdl *m, struct gr_tensor *t, const float *values)
{
    if (t)
        fill(m, t->value, values, (size_t) t->n * sizeof *values);
}

static void upload_ids(struct mdl *m, struct gr_tensor *t, const int32_t *ids)
{
    if (t)
        fill(m, t->ids, ids, (size_t) t->n * sizeof *ids);
}

static void fill_images(struct mdl *m, const struct mdl_graph *g, const struct mdl_batch *batch)
{
    const uint8_t *mirrored = NULL;

    if (!batch->image_bytes) {
        upload_floats(m, g->images, batch->images);
        return;
    }
    if (batch->mirrored)
        mirrored = mdl_stages_find(&m->stages, batch->mirrored);
    m->dev->kernels->image_floats(m->dev,
                                  &(struct dev_image_floats_args){
                                      .B = batch->batch,
                                      .H = batch->height,
                                      .W = batch->width,
                                      .C = batch->channels,
                                      .x = mdl_stages_find(&m->stages, batch->image_bytes),
                                      .mirrored = mirrored,
                                      .values = mdl_stages_find(&m->stages, batch->byte_values),
                                      .y = g->images->value,
                                  });
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

/* What the loss is of, labels (B,L): 0 where a target does not count. */
static void fill_labels(const struct mdl *m, const struct mdl_batch *batch, bool masked,
                        int32_t *labels)
{
    int64_t n = (int64_t) batch->batch * batch->targets_length;

    if (strcmp(mdl_hp_string(m->hp, "prepend_mode"), "none") == 0)
        memcpy(labels, batch->targets, (size_t) n * sizeof *labels);
    else
        mdl_prepend_labels(batch->targets, batch->batch, batch->targets_length, labels);
    for (int64_t i = 0; masked && i < n; i++)
        labels[i] = batch->targets_mask[i] ? labels[i] : 0;
}

static void upload_labels(struct mdl *m, const struct mdl_graph *g, const struct mdl_batch *batch,
                          int32_t *labels)
{
    fill_labels(m, batch, batch->targets_mask && g->g->training, labels);
    upload_rows(m, g->labels, labels, batch->targets_length);
}

static void upload_row_weights(struct mdl *m, const struct mdl_graph *g,
                               const struct mdl_batch *batch)
{
    float *weights = t2_alloc((size_t) g->row_weights->n, sizeof *weights);

    mdl_task_weights(&m->problem.tasks, batch->targets, batch->batch, batch->targets_length,
                     weights);
    upload_floats(m, g->row_weights, weights);
    t2_free(weights);
}

/* Of M remembered positions the last ones hold what earlier chunks of these rows had. */
static void upload_recalled(struct mdl *m, const struct mdl_graph *g, const struct mdl_batch *batch)
{
    int64_t width = g->recalled->dims[1], M = width - batch->targets_length;
    int64_t first = M - (int64_t) batch->chunk * batch->targets_length;
    int32_t *ids = t2_alloc((size_t) g->recalled->n, sizeof *ids);

    for (int64_t i = 0; i < g->recalled->n; i++)
        ids[i] = i % width >= first;
    upload_ids(m, g->recalled, ids);
    t2_free(ids);
}

/* Values 0 to 255 as -1 to 1. */
static void upload_pixels(struct mdl *m, struct gr_tensor *t, const int32_t *values)
{
    float *floats = t ? t2_alloc((size_t) t->n, sizeof *floats) : NULL;

    for (int64_t i = 0; t && i < t->n; i++)
        floats[i] = (float) values[i] / 127.5F - 1.0F;
    upload_floats(m, t, floats);
    t2_free(floats);
}

/* Where the rows are that targets stood at, among those of all of the graph's inputs. */
static void upload_masked_rows(struct mdl *m, const struct mdl_graph *g,
                               const struct mdl_batch *batch)
{
    int64_t length = g->inputs->dims[1], P = g->targets->dims[1];
    int32_t *rows = t2_alloc((size_t) g->masked_rows->n, sizeof *rows);

    for (int64_t b = 0; b < batch->batch; b++)
        for (int64_t p = 0; p < batch->targets_length; p++)
            rows[b * P + p] =
                (int32_t) (b * length + batch->masked_positions[b * batch->targets_length + p]);
    upload_ids(m, g->masked_rows, rows);
    t2_free(rows);
}

static void fill_inputs(struct mdl *m, const struct mdl_graph *g, const struct mdl_batch *batch)
{
    int64_t n = (int64_t) batch->batch * batch->targets_length;
    int32_t *derived = g->labels || g->levels ? t2_alloc((size_t) n, sizeof *derived) : NULL;

    fill_images(m, g, batch);
    upload_floats(m, g->label_weights, batch->label_weights);
    upload_floats(m, g->values, batch->values);
    upload_ids(m, g->other_labels, batch->other_labels);
    for (int i = 0; i < g->n_given_draws; i++)
        upload_floats(m, g->given_draws[i], m->given_draws[i]);
    if (!m->problem.speech)
        upload_rows(m, g->inputs, batch->inputs, batch->inputs_length);
    upload_ids(m, g->inputs_segmentation, batch->inputs_segmentation);
    upload_ids(m, g->inputs_position, batch->inputs_position);
    upload_rows(m, g->targets, batch->targets, batch->targets_length);
    upload_pixels(m, g->pixels, batch->targets);
    upload_rows(m, g->types, batch->types, batch->inputs_length);
    upload_ids(m, g->sentence_labels, batch->sentence_labels);
    if (g->masked_rows)
        upload_masked_rows(m, g, batch);
    upload_ids(m, g->targets_segmentation, batch->targets_segmentation);
    upload_ids(m, g->targets_position, batch->targets_position);
    if (g->recalled)
        upload_recalled(m, g, batch);
    if (g->levels) {
        mdl_prepend_levels(batch->targets, batch->batch, batch->targets_length, derived);
        upload_ids(m, g->levels, derived);
    }
    if (g->labels)
        upload_labels(m, g, batch, derived);
    if (g->row_weights)
        upload_row_weights(m, g, batch);
    t2_free(derived);
}

static enum t2_status feed(struct mdl *m, const struct mdl_graph *g, const struct mdl_batch *batch,
                           struct t2_err *err)
{
    T2_TRY(mdl_stages_begin(&m->stages, batch, err));
    fill_inputs(m, g, batch);
    mdl_stages_end(&m->stages);
    return T2_OK;
}

/* Rows of an example's statistics that count. */
static int64_t counted_rows(const struct mdl *m, const struct mdl_batch *batch)
{
    return m->kind->image_positions ? m->kind->image_positions(m->hp, &m->problem.pixels)
                                    : batch->targets_length;
}

int64_t mdl_count_targets(const struct mdl *m, const struct mdl_batch *batch)
{
    int64_t n = (int64_t) batch->batch * batch->targets_length, n_labels = 0;
    const int32_t *labels = batch->targets;
    int32_t *derived = NULL;

    if (m->problem.class_labels || m->problem.sentences == MDL_SENTENCES_ANSWERED)
        return n;
    if (m->problem.pixels.height > 0)
        return batch->batch * counted_rows(m, batch);
    if (n > 0 && (mdl_prepend_has_labels(m->hp) || batch->targets_mask)) {
        labels = derived = t2_alloc((size_t) n, sizeof *derived);
        fill_labels(m, batch, batch->targets_mask != NULL, derived);
    }
    for (int64_t i = 0; i < n; i++)
        n_labels += labels[i] != 0;
    t2_free(derived);
    return n_labels;
}

static int32_t all_rows_of(const struct mdl_batch *batch)
{
    return batch->all_rows > batch->batch ? batch->all_rows : batch->batch;
}

/* Padding that a graph has behind the batch's rows of an example does not count. */
static void sum_stats(struct mdl *m, const struct mdl_graph *graph, const struct mdl_batch *batch)
{
    const struct gr_tensor *stats = graph->row_stats;

    m->dev->kernels->sum_stats(m->dev,
                               &(struct dev_sum_stats_args){.row_stats = stats->value,
                                                            .B = batch->batch,
                                                            .rows = stats->dims[0] / batch->batch,
                                                            .n_rows = counted_rows(m, batch),
                                                            .sums = m->loss_sums});
    for (int i = 0; i < graph->n_ponder; i++) {
        const struct gr_tensor *state = graph->ponder[i].state;
        int64_t rows = state->dims[0] / batch->batch * all_rows_of(batch);

        m->dev->kernels->ponder(
            m->dev,
            &(struct dev_ponder_args){.state = state->value,
                                      .rows = state->dims[0],
                                      .columns = state->dims[1],
                                      .first = graph->ponder[i].first,
                                      .n = graph->ponder[i].n,
                                      .weight = (float) (graph->ponder[i].weight / (double) rows),
                                      .sums = m->loss_sums});
    }
}

/* Callers divide the numerator by the denominator; the regulariser and what steps cost are no means
 * over targets, so they are multiplied first. */
enum t2_status mdl_take_loss(struct mdl *m, struct mdl_loss *loss, struct t2_err *err)
{
    const struct dev_loss_sums *sums = dev_readback_take(&m->losses);

    *loss = (struct mdl_loss){.numerator = sums->loss * m->problem.loss_multiplier +
                                           (sums->regulariser + sums->ponder) * sums->weight,
                              .regulariser = sums->regulariser,
                              .ponder = sums->ponder,
                              .denominator = sums->weight,
                              .n_correct = sums->n_right,
                              .n_top5 = sums->n_top5,
                              .log_prob = sums->log_prob,
                              .n_sequences_correct = sums->n_examples_right};
    return dev_check(m->dev, err);
}

struct dev_loss_sums *mdl_sums_on_device(struct mdl *m)
{
    return m->loss_sums;
}

const double *mdl_loss_on_device(const struct mdl *m)
{
    return &m->loss_sums->loss;
}

void mdl_set_loss_scale(struct mdl *m, double scale)
{
    m->loss_scale = scale;
}

static double scale_of_loss(const struct mdl *m)
{
    return m->loss_scale > 0.0 ? m->loss_scale : 1.0;
}

/* By the loss scale of the step block, so that the call is the same in every step. */
static void unscale_gradients(struct mdl *m, const struct mdl_graph *graph)
{
    if (m->loss_scale > 0.0)
        m->dev->kernels->scale(m->dev,
                               &(struct dev_scale_args){.x = m->params.grads,
                                                        .n = m->params.n_floats,
                                                        .scale = 1.0F,
                                                        .unscale = gr_step_on_device(graph->g),
                                                        .y = m->params.grads});
}

/* What is queued behind the passes of a step. */
struct behind {
    struct mdl *m;
    const struct mdl_graph *graph;
    const struct mdl_batch *batch;
    const struct gr_tail *update; /* NULL: sums alone */
};

static void queue_behind(void *context)
{
    const struct behind *b = context;

    unscale_gradients(b->m, b->graph);
    sum_stats(b->m, b->graph, b->batch);
    if (!b->update)
        return;
    mdl_regularise(b->m->regulariser, true, &b->m->loss_sums->regulariser);
    b->update->queue(b->update->context);
}

/* A graph for longer rows, or the rows of other ranks, decide what the sums behind it are over. */
static bool is_whole(const struct mdl_graph *graph, const struct mdl_batch *batch)
{
    return graph->shape.targets_length == batch->targets_length &&
           all_rows_of(batch) == batch->batch;
}

static void run(struct behind *b, const struct gr_context *context)
{
    const struct gr_tail tail = {queue_behind, b,
                                 b->update ? 2 * b->update->number + (b->m->loss_scale > 0.0) : 0};

    if (b->update) {
        gr_run_step(b->graph->g, context, &tail);
        return;
    }
    gr_run_forward(b->graph->g, context);
    gr_run_backward(b->graph->g, context);
    queue_behind(b);
}

/* loss = multiplier * sum of row losses / number of labels that count + regulariser; the gradient
 * of it is left in the parameters' gradients.  The number of labels is known before the graph runs,
 * so the division is part of the gradient's scale. */
static enum t2_status queue_passes(struct mdl *m, const struct mdl_batch *batch, int64_t n_targets,
                                   uint64_t seed, uint64_t step, const struct gr_tail *update,
                                   bool *queued, struct t2_err *err)
{
    struct mdl_shape shape = mdl_shape_of(batch);
    struct gr_context context = {.step = step,
                                 .first_row = batch->first_row,
                                 .rows = batch->batch,
                                 .all_rows = all_rows_of(batch),
                                 .profile = m->profile,
                                 .watch = m->watch,
                                 .listener = m->loss_scale > 0.0 ? NULL : m->listener};
    struct mdl_graph *graph;

    T2_ASSERT(m->mode == MDL_TRAIN);
    T2_TRY(mdl_check_batch(m, batch, err));
    T2_TRY(mdl_check_labels(m, batch, err));
    T2_TRY(mdl_get_graph(m, MDL_USE_TRAIN, &shape, &graph, err));
    t2_rng_key(seed, T2_RNG_DROPOUT, context.dropout_key);
    t2_rng_key(seed, T2_RNG_BRANCH, context.branch_key);
    t2_rng_key(seed, T2_RNG_SYMBOL, context.symbol_key);
    T2_TRY(feed(m, graph, batch, err));
    context.loss_scale = (float) scale_of_loss(m);
    context.grad_scale = (float) (scale_of_loss(m) * m->problem.loss_multiplier /
                                  (double) (n_targets > 1 ? n_targets : 1));
    *queued = update && is_whole(graph, batch) && !context.listener;
    run(&(struct behind){m, graph, batch, *queued ? update : NULL}, &context);
    return T2_OK;
}

enum t2_status mdl_queue_gradients(struct mdl *m, const struct mdl_batch *batch, int64_t n_targets,
                                   uint64_t seed, uint64_t step, struct t2_err *err)
{
    bool queued;

    return queue_passes(m, batch, n_targets, seed, step, NULL, &queued, err);
}

void mdl_queue_regulariser(struct mdl *m)
{
    mdl_regularise(m->regulariser, true, &m->loss_sums->regulariser);
    dev_readback_ask(&m->losses, m->loss_sums);
}

enum t2_status mdl_queue_step(struct mdl *m, const struct mdl_batch *batch, uint64_t seed,
                              uint64_t step, struct t2_err *err)
{
    T2_TRY(mdl_queue_gradients(m, batch, mdl_count_targets(m, batch), seed, step, err));
    mdl_queue_regulariser(m);
    return T2_OK;
}

enum t2_status mdl_queue_step_with(struct mdl *m, const struct mdl_batch *batch, uint64_t seed,
                                   uint64_t step, const struct gr_tail *update, bool *queued,
                                   struct t2_err *err)
{
    T2_TRY(queue_passes(m, batch, mdl_count_targets(m, batch), seed, step, update, queued, err));
    if (*queued)
        dev_readback_ask(&m->losses, m->loss_sums);
    else
        mdl_queue_regulariser(m);
    return T2_OK;
}

enum t2_status mdl_train_step(struct mdl *m, const struct mdl_batch *batch, uint64_t seed,
                              uint64_t step, struct mdl_loss *loss, struct t2_err *err)
{
    T2_TRY(mdl_queue_step(m, batch, seed, step, err));
    return mdl_take_loss(m, loss, err);
}

void mdl_forget_evaluation(struct mdl *m)
{
    const struct gr_params *p = &m->params;

    for (int i = 0; i < p->n_variables && m->kind->remembers; i++) {
        const struct gr_variable *v = &p->variables[i];

        if (t2_ends_with(v->name, "/eval_memvals"))
            m->dev->zero(m->dev, p->values + v->offset, (size_t) v->n * sizeof(float));
    }
}

/* The sums once more, of the targets that count alone. */
static void sum_masked(struct mdl *m, const struct mdl_graph *graph, const struct mdl_batch *batch,
                       struct mdl_loss *loss)
{
    const struct gr_tensor *stats = graph->row_stats;
    int64_t rows = stats->dims[0] / batch->batch, L = batch->targets_length;
    float *values = t2_alloc((size_t) stats->n, sizeof *values); /* (B, rows, 4) */
    double sum = 0.0;

    m->dev->download(m->dev, values, stats->value, (size_t) stats->n * sizeof *values);
    for (int64_t i = 0; i < batch->batch * L; i++) {
        const float *of_row = values + (i / L * rows + i % L) * 4;

        if (!batch->targets_mask[i])
            continue;
        sum += (double) of_row[0];
        loss->masked_log_prob += (double) of_row[2];
        loss->masked_denominator += (double) of_row[3];
    }
    loss->masked_numerator = sum * m->problem.loss_multiplier +
                             (loss->regulariser + loss->ponder) * loss->masked_denominator;
    t2_free(values);
}

enum t2_status mdl_evaluate(struct mdl *m, const struct mdl_batch *batch, struct mdl_loss *loss,
                            struct t2_err *err)
{
    struct mdl_shape shape = mdl_shape_of(batch);
    struct gr_context context = {0};
    struct mdl_graph *graph;

    T2_TRY(mdl_check_batch(m, batch, err));
    T2_TRY(mdl_check_labels(m, batch, err));
    T2_TRY(mdl_get_graph(m, MDL_USE_EVAL, &shape, &graph, err));
    T2_TRY(feed(m, graph, batch, err));
    gr_run_forward(graph->g, &context);
    sum_stats(m, graph, batch);
    if (!m->kind->l2_in_training_only)
        mdl_regularise(m->regulariser, false, &m->loss_sums->regulariser);
    dev_readback_ask(&m->losses, m->loss_sums);
    T2_TRY(mdl_take_loss(m, loss, err));
    if (batch->targets_mask)
        sum_masked(m, graph, batch, loss);
    return dev_check(m->dev, err);
}

void mdl_set_predicts(struct mdl *m, bool predicts)
{
    m->predicts = predicts;
}

/* Of the pixels of a batch, all rows of which are as long. */
static void best_of_given(struct mdl *m, const struct gr_tensor *given, int64_t n, int32_t *ids)
{
    int64_t columns = given->n / n;
    float *logits = t2_alloc((size_t) given->n, sizeof *logits); /* (n, columns) */

    m->dev->download(m->dev, logits, given->value, (size_t) given->n * sizeof *logits);
    for (int64_t i = 0; i < n; i++) {
        const float *row = logits + i * columns;

        ids[i] = 0;
        for (int32_t c = 1; c < columns; c++)
            ids[i] = row[c] > row[ids[i]] ? c : ids[i];
    }
    t2_free(logits);
}

/* The graph's rows may be longer than the batch's. */
enum t2_status mdl_predictions(struct mdl *m, const struct mdl_batch *batch, int32_t *ids,
                               struct t2_err *err)
{
    struct mdl_shape shape = mdl_shape_of(batch);
    struct dev_candidate *best;
    struct mdl_graph *graph;
    int64_t rows, length;

    T2_TRY(mdl_get_graph(m, MDL_USE_EVAL, &shape, &graph, err));
    if (!graph->best) {
        T2_ASSERT(graph->given);
        best_of_given(m, graph->given, (int64_t) batch->batch * batch->targets_length, ids);
        return dev_check(m->dev, err);
    }
    rows = graph->best->dims[0];
    length = rows / batch->batch;
    best = t2_alloc((size_t) rows, sizeof *best);
    m->dev->download(m->dev, best, graph->best->value, (size_t) rows * sizeof *best);
    for (int64_t b = 0; b < batch->batch; b++)
        for (int64_t l = 0; l < batch->targets_length; l++) {
            int32_t id = best[b * length + l].id;

            ids[b * batch->targets_length + l] = id > 0 ? id : 0;
        }
    t2_free(best);
    return dev_check(m->dev, err);
}

enum t2_status mdl_predicted_values(struct mdl *m, const struct mdl_batch *batch, float *values,
                                    struct t2_err *err)
{
    struct mdl_shape shape = mdl_shape_of(batch);
    struct mdl_graph *graph;

    T2_TRY(mdl_get_graph(m, MDL_USE_EVAL, &shape, &graph, err));
    T2_ASSERT(graph->given && graph->given->n == (int64_t) batch->batch * batch->n_values);
    m->dev->download(m->dev, values, graph->given->value,
                     (size_t) graph->given->n * sizeof *values);
    return dev_check(m->dev, err);
}

enum t2_status mdl_run_logits(struct mdl *m, const struct mdl_batch *batch,
                              const struct gr_tensor **logits, struct t2_err *err)
{
    struct mdl_shape shape = mdl_shape_of(batch);
    struct gr_context context = {.may_stop = true};
    struct mdl_graph *graph;

    T2_TRY(mdl_check_batch(m, batch, err));
    T2_TRY(mdl_get_graph(m, MDL_USE_LOGITS, &shape, &graph, err));
    T2_TRY(feed(m, graph, batch, err));
    gr_run_forward(graph->g, &context);
    T2_TRY(t2_check_interrupt(err));
    *logits = graph->logits;
    return T2_OK;
}

enum t2_status mdl_logits(struct mdl *m, const struct mdl_batch *batch, float *logits,
                          struct t2_err *err)
{
    int64_t per_example, columns;
    const struct gr_tensor *all;
    size_t wanted;

    T2_TRY(mdl_run_logits(m, batch, &all, err));
    per_example = all->n / batch->batch;
    columns = all->dims[all->rank - 1];
    wanted = (size_t) (m->problem.class_labels || m->problem.pixels.height > 0
                           ? per_example
                           : batch->targets_length * columns);
    for (int64_t b = 0; b < batch->batch; b++)
        m->dev->download(m->dev, logits + (size_t) b * wanted,
                         (const float *) all->value + b * per_example, wanted * sizeof *logits);
    return dev_check(m->dev, err);
}

enum t2_status mdl_class_logits(struct mdl *m, const struct mdl_batch *batch, float *logits,
                                struct t2_err *err)
{
    size_t n = (size_t) m->problem.targets_vocab, columns;
    const struct gr_tensor *all;
    float *rows;

    T2_ASSERT(m->problem.class_labels);
    T2_TRY(mdl_run_logits(m, batch, &all, err));
    columns = (size_t) all->n / (size_t) batch->batch;
    rows = t2_alloc((size_t) all->n, sizeof *rows);
    m->dev->download(m->dev, rows, all->value, (size_t) all->n * sizeof *rows);
    for (int32_t i = 0; i < batch->batch; i++)
        memcpy(logits + (size_t) i * n, rows + (size_t) i * columns, n * sizeof *rows);
    t2_free(rows);
    return dev_check(m->dev, err);
}

enum t2_status mdl_class_best(struct mdl *m, const struct mdl_batch *batch, int32_t n,
                              struct dev_candidate *best, struct t2_err *err)
{
    const struct mdl_choice choice = {.n = n};
    struct mdl_logit_rows rows = {.rows = batch->batch, .V = m->problem.targets_vocab};
    const struct gr_tensor *all;
    struct dev_ask *asks;
    void *place;

    T2_ASSERT(m->problem.class_labels);
    T2_TRY(mdl_run_logits(m, batch, &all, err));
    rows.logits = all->value;
    rows.stride = all->n / batch->batch;
    place = m->dev->alloc(m->dev, mdl_choice_bytes(m->dev, &choice, rows.rows, rows.V));
    if (!place)
        return dev_fail_memory(m->dev, mdl_choice_bytes(m->dev, &choice, rows.rows, rows.V),
                               "the labels of a batch", NULL, err);
    asks = t2_alloc((size_t) rows.rows, sizeof *asks);
    for (int64_t r = 0; r < rows.rows; r++)
        asks[r] = (struct dev_ask){.penalty = 1, .wanted = 1};
    mdl_choose(m->dev, &choice, place, &rows, asks, best);
    t2_free(asks);
    m->dev->free(m->dev, place);
    for (int64_t r = 0; r < rows.rows; r++)
        if (best[r * mdl_choice_n(&choice, rows.V)].id < 0)
            return t2_fail(err, T2_EFORMAT,
                           "the model gives text %d of a batch a value that is not a number",
                           (int) r + 1);
    return dev_check(m->dev, err);
}
