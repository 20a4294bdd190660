/*
 * train/models/model.c - a model with its variables: graphs by batch shape, one arena.
 *
 * A graph is built when a batch shape comes for the first time and kept; training, evaluation and
 * logits have their own.  All of them share one arena, as large as the largest, because only one
 * runs at a time.  They are run by model_run.c; decoding step by step is
 * in model_decoder.c.
 */
#include "train/models/model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"
#include "train/graph/frozen_variables.h"
#include "train/graph/layouts.h"
#include "train/models/model_keys.h"
#include "train/models/model_parts.h"
#include "train/models/regularise.h"

enum { MAX_GRAPHS = 512 };

int32_t mdl_positions_of(const struct mdl *m, const struct mdl_shape *shapes, size_t n)
{
    int32_t longest = 0;

    for (size_t i = 0; i < n; i++) {
        const struct mdl_shape *s = &shapes[i];
        int32_t length =
            s->inputs_length > s->targets_length ? s->inputs_length : s->targets_length;

        if (s->height > 0 && m->kind->timescales > 0 && s->height * s->width > length)
            length = s->height * s->width;
        else if (s->height > 0 && s->inputs_length == 0)
            length = 0;
        longest = length > longest ? length : longest;
    }
    return longest;
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
                        const struct mdl_tables *tables, struct mdl_graph *out)
{
    struct mdl_build b = {.model = mdl_variables_of(m->kind),
                          .hp = use == MDL_USE_TRAIN ? m->hp : m->eval_hp,
                          .problem = &m->problem,
                          .tables = tables,
                          .predicts = m->predicts,
                          .draws_given = m->given_draws != NULL,
                          .decodes = m->decodes && use == MDL_USE_LOGITS};

    memset(out, 0, sizeof *out);
    out->shape = *shape;
    b.g = out->g = gr_new(m->dev, &m->params, use == MDL_USE_TRAIN);
    b.g->remat = m->remat;
    b.g->packs = m->packs_logits && use == MDL_USE_LOGITS ? &m->packs : NULL;
    m->kind->build(&b, shape, use == MDL_USE_LOGITS, out);
    T2_ASSERT(!shape->mixed || out->other_labels);
}

/* The tensors that the host reads after a run are kept alive to its end. */
static enum t2_status finish_graph(struct mdl_graph *graph, struct t2_err *err)
{
    struct gr_tensor *more = graph->best ? graph->best : graph->given;
    struct gr_tensor *keep[4] = {graph->logits ? graph->logits : graph->row_stats};
    int n_keep = 1;
    enum t2_status st;

    if (more)
        keep[n_keep++] = more;
    for (int i = 0; i < graph->n_ponder; i++)
        keep[n_keep++] = graph->ponder[i].state;
    st = gr_finish(graph->g, graph->loss, keep, n_keep, err);
    if (st != T2_OK)
        gr_free(graph->g);
    return st;
}

/* A larger arena is another block, and graphs hold pointers into the old one: they go. */
static enum t2_status need_arena(struct mdl *m, size_t bytes, struct t2_err *err)
{
    if (bytes <= m->arena_bytes)
        return T2_OK;
    mdl_drop_graphs(m);
    m->dev->free(m->dev, m->arena);
    m->arena_bytes = 0;
    m->arena = m->dev->alloc(m->dev, bytes);
    if (!m->arena)
        return dev_fail_memory(m->dev, bytes, "activations",
                               "make batch_size or max_length smaller", err);
    m->arena_bytes = bytes;
    return T2_OK;
}

static bool same_shape(const struct mdl_shape *a, const struct mdl_shape *b)
{
    return a->batch == b->batch && a->inputs_length == b->inputs_length &&
           a->targets_length == b->targets_length && a->packed == b->packed &&
           a->height == b->height && a->width == b->width && a->channels == b->channels &&
           a->mixed == b->mixed && a->sentences == b->sentences;
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
enum t2_status mdl_get_graph(struct mdl *m, enum mdl_use use, const struct mdl_shape *batch,
                             struct mdl_graph **graph, struct t2_err *err)
{
    struct mdl_shape shape = *batch;
    const struct mdl_tables *tables;
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
    tables = mdl_positions_plan(&m->positions, mdl_positions_of(m, &shape, 1));
    T2_TRY(mdl_positions_make(&m->positions, tables, err));
    build_graph(m, use, &shape, tables, &built);
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
    if (built.g->packs && gr_packs_make(&m->packs, err) != T2_OK) {
        gr_free(built.g);
        return err->status;
    }
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

bool mdl_searches_by_steps(const struct mdl *m)
{
    return m->kind->build_step && !m->problem.class_labels;
}

bool mdl_searches_pack(const struct mdl *m)
{
    return mdl_searches_by_steps(m) && (m->dev->weights != DEV_FLOAT32 || m->dev->host_memory);
}

struct gr_packs *mdl_use_packs(struct mdl *m)
{
    if (m->packs_users++ == 0)
        gr_packs_init(&m->packs, &m->params, m->dev->weights);
    return &m->packs;
}

void mdl_leave_packs(struct mdl *m)
{
    if (--m->packs_users == 0)
        gr_packs_release(&m->packs);
}

void mdl_pack_weights(struct mdl *m)
{
    if (!m->dev->host_memory || m->packs_logits)
        return;
    mdl_drop_graphs(m);
    (void) mdl_use_packs(m);
    m->packs_logits = true;
}

uint64_t mdl_packs_bytes(const struct mdl *m)
{
    return m->packs.bytes;
}

/* ---- life ---- */

enum t2_status mdl_check_name(const char *name, struct t2_err *err)
{
    const char **names = t2_alloc(mdl_count(), sizeof *names), *nearest;
    struct t2_buf known = {0};

    if (mdl_find_kind(name)) {
        t2_free(names);
        return T2_OK;
    }
    for (size_t i = 0; i < mdl_count(); i++) {
        names[i] = mdl_name(i);
        t2_buf_printf(&known, "%s%s", i ? ", " : "", names[i]);
    }
    nearest = t2_nearest(name, names, mdl_count());
    if (nearest)
        t2_fail(err, T2_EUSAGE,
                "unknown model '%s'; did you mean '%s'?; known: %s, and layer files, FILE.yaml",
                name, nearest, t2_buf_cstr(&known));
    else
        t2_fail(err, T2_EUSAGE, "unknown model '%s'; known: %s, and layer files, FILE.yaml", name,
                t2_buf_cstr(&known));
    t2_buf_release(&known);
    t2_free(names);
    return T2_EUSAGE;
}

static enum t2_status describe(const struct mdl_kind *kind, struct dev *dev,
                               const struct mdl_hparams *hp, const struct mdl_problem *problem,
                               enum mdl_mode mode, struct mdl **out, struct t2_err *err)
{
    struct mdl_shape smallest = {
        .batch = 1,
        .inputs_length = problem->describes ? problem->image.height * problem->image.width
                                            : mdl_pixels_inputs(problem),
        .targets_length = problem->pixels.height > 0 ? mdl_pixels_length(&problem->pixels) : 1,
        .height = problem->speech ? mdl_speech_rows(1) : problem->image.height,
        .width = problem->image.width,
        .channels = problem->image.channels,
        .n_values = problem->target == MDL_TARGET_IDS ? 0 : problem->targets_vocab};
    struct mdl_graph graph;
    struct mdl *m;
    enum t2_status st;

    *out = NULL;
    T2_ASSERT(problem->image.height == 0 || problem->describes ||
              (problem->class_labels && !problem->has_inputs));
    T2_ASSERT(!problem->describes || (problem->image.height > 0 && problem->has_inputs));
    if ((problem->targets_vocab < 2 && problem->target == MDL_TARGET_IDS) ||
        (problem->has_inputs && problem->inputs_vocab < 2))
        return t2_fail(err, T2_EUSAGE, "the vocabulary must have at least 2 entries");
    if (problem->pixels.height > 0 && !kind->image_positions)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "model '%s' makes no images, as this problem asks; %s does", kind->name,
                       problem->source.height > 0 ? "img2img_transformer" : "imagetransformer");
    if (problem->describes && !kind->describes_images)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "model '%s' does not describe images, as this problem asks; slice_net does",
                       kind->name);
    if (problem->table && !kind->reads_tables)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "model '%s' does not read tables of numbers; basic_fc_relu and layer files "
                       "(--model=FILE.yaml) do",
                       kind->name);
    T2_TRY(kind->check(hp, problem, err));
    T2_TRY(mdl_hparams_check(hp, err));
    m = t2_alloc(1, sizeof *m);
    m->kind = kind;
    m->dev = dev;
    m->hp = mdl_hparams_copy(hp);
    if (kind->shared_set)
        T2_GOTO(st, out, mdl_add_shared_keys(m->hp, kind->shared_set, err));
    m->eval_hp = mdl_hparams_copy(m->hp);
    mdl_hparams_for_eval(m->eval_hp);
    if (kind->smooths_evaluation && kind->smooths_evaluation(hp))
        mdl_hp_set_float(m->eval_hp, "label_smoothing", mdl_hp_float(hp, "label_smoothing"));
    m->problem = *problem;
    m->problem.has_inputs &= !kind->targets_alone;
    if (kind->plain_loss && kind->plain_loss(hp))
        m->problem.loss_multiplier = 1.0;
    m->mode = mode;
    m->stages.dev = dev;
    mdl_positions_init(&m->positions, dev,
                       &(struct mdl_timing){.depth =
                                                problem->image.height > 0 && kind->timescales == 0
                                                    ? 0
                                                    : mdl_hp_int(hp, "hidden_size"),
                                            .timescales = kind->timescales,
                                            .columns =
                                                kind->image_columns
                                                    ? kind->image_columns(hp, &problem->pixels)
                                                    : 0});
    gr_params_init(&m->params, dev);
    m->params.values_only = mode != MDL_TRAIN;
    /* The smallest graph tells which variables there are, and whether all can be trained. */
    build_graph(m, mode == MDL_TRAIN ? MDL_USE_TRAIN : MDL_USE_EVAL, &smallest,
                mdl_positions_plan(&m->positions, mdl_positions_of(m, &smallest, 1)), &graph);
    if ((problem->image.height > 0 || problem->speech) && !graph.images) {
        gr_free(graph.g);
        st = t2_fail(err, T2_EUNSUPPORTED, "model '%s' does not %s, for one, does", kind->name,
                     problem->speech ? "hear speech; transformer" : "look at images; resnet");
        goto out;
    }
    if (problem->targets_mask && mode == MDL_TRAIN && !graph.labels) {
        gr_free(graph.g);
        st = t2_fail(err, T2_EUNSUPPORTED,
                     "records have a targets_mask, and the loss of model '%s' is of all targets; "
                     "transformer, for one, does leave some out",
                     kind->name);
        goto out;
    }
    T2_GOTO(st, out, finish_graph(&graph, err));
    gr_free(graph.g);
    m->params.frozen = true;
    m->params.regularised = mdl_is_regularised(&m->params, kind);
    if (mdl_hp_string(hp, "frozen_variables")[0] != '\0')
        T2_GOTO(st, out,
                gr_freeze_variables(&m->params, mdl_hp_string(hp, "frozen_variables"), err));
    m->params.encoded = strcmp(mdl_hp_string(hp, "weight_dtype"), "bfloat16") == 0;
    *out = m;
    return T2_OK;
out:
    mdl_free(m);
    return st;
}

/* What is wrong with a layer file is said with its name. */
static enum t2_status named(const struct mdl_kind *kind, const char *name, enum t2_status st,
                            struct t2_err *err)
{
    return st != T2_OK && kind == &mdl_layer_file ? t2_wrap(err, "'%s'", name) : st;
}

enum t2_status mdl_describe(const char *name, struct dev *dev, const struct mdl_hparams *hp,
                            const struct mdl_problem *problem, enum mdl_mode mode, struct mdl **out,
                            struct t2_err *err)
{
    const struct mdl_kind *kind = mdl_find_kind(name);

    *out = NULL;
    return kind ? named(kind, name, describe(kind, dev, hp, problem, mode, out, err), err)
                : mdl_check_name(name, err);
}

enum t2_status mdl_new_of_kind(const struct mdl_kind *kind, struct dev *dev,
                               const struct mdl_hparams *hp, const struct mdl_problem *problem,
                               enum mdl_mode mode, struct mdl **out, struct t2_err *err)
{
    enum t2_status st;

    T2_TRY(describe(kind, dev, hp, problem, mode, out, err));
    st = mdl_place(*out, err);
    if (st == T2_OK)
        return T2_OK;
    mdl_free(*out);
    *out = NULL;
    return st;
}

enum t2_status mdl_new(const char *name, struct dev *dev, const struct mdl_hparams *hp,
                       const struct mdl_problem *problem, enum mdl_mode mode, struct mdl **out,
                       struct t2_err *err)
{
    const struct mdl_kind *kind = mdl_find_kind(name);

    *out = NULL;
    return kind ? named(kind, name, mdl_new_of_kind(kind, dev, hp, problem, mode, out, err), err)
                : mdl_check_name(name, err);
}

uint64_t mdl_small_bytes(const struct mdl *m)
{
    return sizeof *m->loss_sums + gr_layouts_bytes(&m->params) +
           mdl_regulariser_bytes(&m->params, m->kind, m->hp);
}

enum t2_status mdl_place(struct mdl *m, struct t2_err *err)
{
    struct dev *dev = m->dev;

    T2_TRY(gr_params_place(&m->params, err));
    m->loss_sums = dev->alloc(dev, sizeof *m->loss_sums);
    if (!m->loss_sums)
        return dev_fail_memory(dev, sizeof *m->loss_sums, "the sums of a batch", NULL, err);
    T2_TRY(dev_readback_open(&m->losses, dev, sizeof *m->loss_sums, err));
    return mdl_regulariser_new(&m->params, m->kind, m->hp, &m->regulariser, err);
}

void mdl_free(struct mdl *m)
{
    if (!m)
        return;
    mdl_drop_graphs(m);
    mdl_stages_release(&m->stages);
    t2_free(m->graphs);
    m->dev->free(m->dev, m->arena);
    mdl_positions_release(&m->positions);
    mdl_regulariser_free(m->regulariser);
    if (m->packs_logits)
        mdl_leave_packs(m);
    gr_params_release(&m->params);
    mdl_hparams_free(m->hp);
    mdl_hparams_free(m->eval_hp);
    dev_readback_close(&m->losses);
    m->dev->free(m->dev, m->loss_sums);
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

int64_t mdl_image_positions(const struct mdl *m)
{
    return m->kind->image_positions ? m->kind->image_positions(m->hp, &m->problem.pixels) : 0;
}

bool mdl_reads_labels(const struct mdl *m)
{
    return m->kind->reads_labels && m->kind->reads_labels(m->hp);
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

/* Builds and plans a shape and frees it again: nothing runs, and nothing is allocated. */
static enum t2_status plan_shape(struct mdl *m, enum mdl_use use, const struct mdl_shape *shape,
                                 uint64_t *arena_bytes, struct t2_err *err)
{
    struct mdl_graph graph;

    build_graph(m, use, shape, mdl_positions_plan(&m->positions, mdl_positions_of(m, shape, 1)),
                &graph);
    T2_TRY(finish_graph(&graph, err));
    *arena_bytes = graph.g->arena_bytes;
    for (int i = 0; i < graph.g->n_nodes; i++)
        m->convolves |= graph.g->nodes[i]->op->param_use == DEV_USE_CONV2D;
    gr_free(graph.g);
    return T2_OK;
}

bool mdl_convolves(const struct mdl *m)
{
    return m->convolves;
}

enum t2_status mdl_plan_bytes(struct mdl *m, enum mdl_mode mode, const struct mdl_shape *shapes,
                              size_t n_shapes, uint64_t *arena_bytes, struct t2_err *err)
{
    T2_ASSERT(mode == MDL_EVAL || m->mode == MDL_TRAIN);
    *arena_bytes = 0;
    for (size_t i = 0; i < n_shapes; i++) {
        uint64_t bytes;

        T2_TRY(plan_shape(m, mode == MDL_TRAIN ? MDL_USE_TRAIN : MDL_USE_EVAL, &shapes[i], &bytes,
                          err));
        *arena_bytes = bytes > *arena_bytes ? bytes : *arena_bytes;
    }
    return T2_OK;
}

enum t2_status mdl_plan_logits(struct mdl *m, const struct mdl_shape *batch, uint64_t *arena_bytes,
                               struct t2_err *err)
{
    struct mdl_shape shape = *batch;
    const struct mdl_cached *cached;

    if (m->kind->round_shape)
        m->kind->round_shape(&shape);
    cached = find_graph(m, MDL_USE_LOGITS, &shape);
    if (cached) {
        *arena_bytes = cached->graph.g->arena_bytes;
        return T2_OK;
    }
    return plan_shape(m, MDL_USE_LOGITS, &shape, arena_bytes, err);
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
    T2_TRY(mdl_reserve_positions(m, mdl_positions_of(m, shapes, n_shapes), err));
    return need_arena(m, (size_t) largest, err);
}

enum t2_status mdl_send(struct mdl *m, struct mdl_batch *batch, struct t2_err *err)
{
    return mdl_stages_send(&m->stages, batch, err);
}

void mdl_wait_read(struct mdl *m)
{
    mdl_stages_wait_read(&m->stages);
}

void mdl_forget_sent(struct mdl *m)
{
    mdl_stages_forget(&m->stages);
}

uint64_t mdl_sent_bytes(const struct mdl *m, const struct mdl_shape *shape)
{
    return mdl_stages_bytes(m->dev, shape);
}

enum t2_status mdl_reserve_sent(struct mdl *m, uint64_t bytes, struct t2_err *err)
{
    return mdl_stages_reserve(&m->stages, bytes, err);
}

uint64_t mdl_table_bytes(const struct mdl *m, int32_t positions)
{
    return mdl_positions_bytes(&m->positions, positions);
}

enum t2_status mdl_reserve_positions(struct mdl *m, int32_t positions, struct t2_err *err)
{
    return mdl_positions_make(&m->positions, mdl_positions_plan(&m->positions, positions), err);
}

enum t2_status mdl_initialise(struct mdl *m, uint64_t seed, struct t2_err *err)
{
    return gr_params_initialise(&m->params, mdl_hp_string(m->hp, "initializer"),
                                mdl_hp_float(m->hp, "initializer_gain"), seed, err);
}

void mdl_set_listener(struct mdl *m, const struct gr_listener *listener)
{
    m->listener = listener;
}

void mdl_set_profile(struct mdl *m, struct gr_profile *profile)
{
    m->profile = profile;
}

void mdl_set_watch(struct mdl *m, struct gr_watch *watch)
{
    m->watch = watch;
}
