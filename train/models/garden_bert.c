/*
 * train/models/garden_bert.c - Model Garden's BERT (Devlin et al. 2018): a label for a text or two,
 * pretraining, and where in a text the answer to a question is.
 *
 * official/nlp/modeling: BertEncoderV2, BertClassifier, BertPretrainerV2,
 * BertSpanLabeler.  D = hidden_size:
 *   x = dropped(norm(words + positions + types))                                       (B, L, D)
 * block  x = norm(x + dropped(attention x)),  x = norm(x + dropped(dense D(gelu(dense F x))))
 * sentence_prediction  dense classes(dropped(tanh(dense D(x of [CLS])))); with use_encoder_pooler
 *        the inner layer is the encoder's pooler, which otherwise nothing reads
 * pretraining  at masked positions h = norm(gelu(dense D x)), logits h words^T + bias; and for the
 *        row dense 2(dropped(tanh(dense S(x of [CLS])))), whose loss is a mean over rows beside
 *        that over masked positions
 * answers  (begins, ends) = dense 2(x) at each position, padding, too: two softmaxes over the row
 * Kernels of attention are (D, heads K) here; the original's have an axis for the heads.
 */
#include <math.h>
#include <stdio.h>

#include "train/models/cnn_parts.h"
#include "train/models/model_keys.h"
#include "train/models/symbol_loss.h"
#include "train/models/transformer_parts.h"
#include "train/ops/attention.h"
#include "train/ops/cast.h"
#include "train/ops/class_loss.h"
#include "train/ops/elementwise.h"
#include "train/ops/embed.h"
#include "train/ops/fill.h"
#include "train/ops/image_layout.h"
#include "train/ops/layer_norm.h"
#include "train/ops/linear.h"
#include "train/ops/residual.h"
#include "train/ops/slices.h"

static const char classifier[] = "mg_bert_classifier", pretrainer[] = "mg_bert_pretrainer";
static const char span_labeler[] = "mg_bert_span_labeler";
static const char own_set[] = "mg_bert_base";
static const double norm_epsilon = 1e-12;

/* ---- layers ---- */

static struct gr_tensor *vector(const struct mdl_build *b, const char *layer, const char *part,
                                int64_t n, enum gr_init init)
{
    return mdl_tf_variable(b, layer, part, 1, &n, init, 0.0);
}

/* (rows, columns), as the encoder's begin. */
static struct gr_tensor *matrix(const struct mdl_build *b, const char *layer, const char *part,
                                int64_t rows, int64_t columns)
{
    return mdl_tf_variable(b, layer, part, 2, (int64_t[]){rows, columns}, GR_INIT_TRUNCATED_NORMAL,
                           mdl_hp_float(b->hp, "initializer_range"));
}

static struct gr_tensor *norm(const struct mdl_build *b, struct gr_tensor *x, const char *layer)
{
    int64_t n = x->dims[x->rank - 1];

    return nn_layer_norm(b->g, x, vector(b, layer, "gamma", n, GR_INIT_ONES),
                         vector(b, layer, "beta", n, GR_INIT_ZEROS), norm_epsilon);
}

static struct gr_tensor *dense(const struct mdl_build *b, struct gr_tensor *x, const char *layer,
                               int64_t n)
{
    return nn_linear(b->g, x, matrix(b, layer, "kernel", x->dims[x->rank - 1], n),
                     vector(b, layer, "bias", n, GR_INIT_ZEROS), false, 0.0);
}

/* Keras's default, of the head that pretraining has for rows. */
static struct gr_tensor *glorot_dense(const struct mdl_build *b, struct gr_tensor *x,
                                      const char *layer, int64_t n)
{
    int64_t dims[] = {x->dims[x->rank - 1], n};

    return nn_linear(b->g, x,
                     mdl_tf_variable(b, layer, "kernel", 2, dims, GR_INIT_UNIFORM,
                                     sqrt(6.0 / (double) (dims[0] + n))),
                     vector(b, layer, "bias", n, GR_INIT_ZEROS), false, 0.0);
}

static struct gr_tensor *dropped(const struct mdl_build *b, struct gr_tensor *x, const char *hparam)
{
    double rate = b->g->training ? mdl_hp_float(b->hp, hparam) : 0.0;

    return rate > 0.0 ? nn_dropout(b->g, x, rate) : x;
}

/* ---- the encoder ---- */

static struct gr_tensor *words(const struct mdl_build *b)
{
    return matrix(b, "word_embeddings", "embeddings", b->problem->inputs_vocab,
                  mdl_hp_int(b->hp, "hidden_size"));
}

/* Id 0 has a row as any other. */
static struct gr_tensor *embed(const struct mdl_build *b, const struct mdl_graph *g)
{
    int64_t D = mdl_hp_int(b->hp, "hidden_size");
    struct gr_tensor *x, *types;

    x = nn_embed(b->g,
                 &(struct nn_embed){.ids = g->inputs,
                                    .table = words(b),
                                    .scale = 1.0,
                                    .parts = 1,
                                    .positions =
                                        matrix(b, "position_embedding", "embeddings",
                                               mdl_hp_int(b->hp, "max_position_embeddings"), D)});
    types = nn_embed(b->g, &(struct nn_embed){.ids = g->types,
                                              .table = matrix(b, "type_embeddings", "embeddings",
                                                              b->problem->types_vocab, D),
                                              .scale = 1.0,
                                              .parts = 1});
    x = norm(b, nn_add(b->g, x, types), "embeddings/layer_norm");
    return dropped(b, x, "layer_prepostprocess_dropout");
}

static struct gr_tensor *block(const struct mdl_build *b, struct gr_tensor *x,
                               struct gr_tensor *inputs, int64_t layer)
{
    int64_t D = x->dims[2], heads = mdl_hp_int(b->hp, "num_heads"), head_size = D / heads;
    double rate = b->g->training ? mdl_hp_float(b->hp, "layer_prepostprocess_dropout") : 0.0;
    struct nn_attention how = {.heads = heads,
                               .key_ids = inputs,
                               .scale = 1.0 / sqrt((double) head_size),
                               .dropout =
                                   b->g->training ? mdl_hp_float(b->hp, "attention_dropout") : 0.0,
                               .q_per_key = 1};
    struct gr_tensor *q, *k, *v, *y;
    char name[MDL_TF_NAME_BYTES];

#define NAME(part) (snprintf(name, sizeof name, "transformer/layer_%d/" part, (int) layer), name)
    q = dense(b, x, NAME("self_attention/query"), D);
    k = dense(b, x, NAME("self_attention/key"), D);
    v = dense(b, x, NAME("self_attention/value"), D);
    y = dense(b, nn_attention(b->g, q, k, v, &how), NAME("self_attention/attention_output"), D);
    x = norm(b, nn_residual(b->g, x, y, NULL, rate), NAME("self_attention_layer_norm"));
    y = dense(b, x, NAME("intermediate"), mdl_hp_int(b->hp, "filter_size"));
    y = dense(b, nn_gelu(b->g, y), NAME("output"), D);
    return norm(b, nn_residual(b->g, x, y, NULL, rate), NAME("output_layer_norm"));
#undef NAME
}

/* Makes the inputs; (B, L, D). */
static struct gr_tensor *encoder(const struct mdl_build *b, const struct mdl_shape *shape,
                                 struct mdl_graph *out)
{
    int64_t ids[] = {shape->batch, shape->inputs_length}, n;
    struct gr_tensor *x;

    out->inputs = gr_ids(b->g, 2, ids);
    out->types = gr_ids(b->g, 2, ids);
    x = embed(b, out);
    n = mdl_hp_int(b->hp, "num_hidden_layers");
    for (int64_t layer = 0; layer < n; layer++) {
        gr_layer(b->g, 1 + (int) layer);
        x = block(b, x, out->inputs, layer);
    }
    gr_layer(b->g, 0);
    return x;
}

/* [CLS] of each row: (B, 1, D) */
static struct gr_tensor *first_of(const struct mdl_build *b, struct gr_tensor *x)
{
    return nn_slice_positions(b->g, x, 0, 1, 1);
}

static struct gr_tensor *tanh_of(const struct mdl_build *b, struct gr_tensor *x)
{
    return nn_convert(b->g, nn_tanh(b->g, nn_convert(b->g, x, DEV_FLOAT32)), b->g->type);
}

/* Made by the original, and without a gradient. */
static void unread_pooler(const struct mdl_build *b)
{
    int64_t D = mdl_hp_int(b->hp, "hidden_size");

    mdl_tf_unread(b, "pooler_transform", "kernel", 2, (int64_t[]){D, D}, GR_INIT_DEFAULT);
    mdl_tf_unread(b, "pooler_transform", "bias", 1, &D, GR_INIT_ZEROS);
}

/* ---- sentence_prediction ---- */

static void build_classifier(const struct mdl_build *b, const struct mdl_shape *shape,
                             bool want_logits, struct mdl_graph *out)
{
    bool pooler = mdl_hp_bool(b->hp, "use_encoder_pooler");
    struct gr_tensor *x = first_of(b, encoder(b, shape, out));

    out->targets = gr_ids(b->g, 2, (int64_t[]){shape->batch, 1});
    if (!pooler)
        unread_pooler(b);
    x = dense(b, x, pooler ? "pooler_transform" : "sentence_prediction/pooler_dense", x->dims[2]);
    x = dropped(b, tanh_of(b, x), "dropout");
    x = dense(b, x, "sentence_prediction/logits", b->problem->targets_vocab);
    x = nn_convert(b->g, x, DEV_FLOAT32);
    if (want_logits)
        out->logits = x;
    else
        out->loss = nn_class_loss(b->g, x, out->targets, 0.0, &out->row_stats);
}

/* ---- pretraining ---- */

/* What stood at masked positions: (B, P, D). */
static struct gr_tensor *masked(const struct mdl_build *b, struct gr_tensor *x,
                                const struct mdl_shape *shape, struct mdl_graph *out)
{
    int64_t B = shape->batch, P = shape->targets_length, D = x->dims[2];
    int64_t rows[] = {B * P, 1}, all[] = {x->n / D, D}, picked[] = {B, P, D};

    out->masked_rows = gr_ids(b->g, 2, rows);
    x = nn_reshape(b->g, nn_convert(b->g, x, DEV_FLOAT32), 2, all);
    x = nn_embed(b->g,
                 &(struct nn_embed){.ids = out->masked_rows, .table = x, .scale = 1.0, .parts = 1});
    return nn_reshape(b->g, x, 3, picked);
}

/* [x, 1], so that a last column of the table is a bias. */
static struct gr_tensor *with_one(const struct mdl_build *b, struct gr_tensor *x,
                                  const struct mdl_graph *g)
{
    int64_t B = x->dims[0], P = x->dims[1], D = x->dims[2];
    int64_t wide[] = {B, P, 1, D}, narrow[] = {B, P, 1, 1}, joined[] = {B, P, D + 1};
    struct gr_tensor *ones = nn_filled(b->g, g->masked_rows, -1); /* (B P) */
    struct gr_tensor *parts[] = {nn_reshape(b->g, x, 4, wide),
                                 nn_reshape(b->g, nn_convert(b->g, ones, b->g->type), 4, narrow)};

    return nn_reshape(b->g, nn_concat_channels(b->g, parts, 2), 3, joined);
}

/* [words, bias] */
static struct gr_tensor *with_bias(const struct mdl_build *b)
{
    struct gr_tensor *table = words(b);
    int64_t V = table->dims[0], D = table->dims[1];
    int64_t wide[] = {V, 1, 1, D}, narrow[] = {V, 1, 1, 1}, joined[] = {V, D + 1};
    struct gr_tensor *bias = vector(b, "cls/predictions/output_bias", "bias", V, GR_INIT_ZEROS);
    struct gr_tensor *parts[] = {nn_convert(b->g, nn_reshape(b->g, table, 4, wide), b->g->type),
                                 nn_convert(b->g, nn_reshape(b->g, bias, 4, narrow), b->g->type)};

    table = nn_reshape(b->g, nn_concat_channels(b->g, parts, 2), 2, joined);
    return nn_convert(b->g, table, DEV_FLOAT32);
}

/* h, which carries the loss of the rows' labels back to x. */
static struct gr_tensor *sentence_loss(const struct mdl_build *b, struct gr_tensor *x,
                                       struct gr_tensor *h, struct mdl_graph *out)
{
    int64_t S = mdl_hp_int(b->hp, "sentence_head_size");
    struct gr_tensor *stats;

    out->sentence_labels = gr_ids(b->g, 2, (int64_t[]){x->dims[0], 1});
    x = tanh_of(b, glorot_dense(b, first_of(b, x), "next_sentence/pooler_dense", S));
    x = glorot_dense(b, dropped(b, x, "dropout"), "next_sentence/logits", 2);
    h = nn_class_loss_beside(b->g, h, x, out->sentence_labels, 1.0, &stats);
    out->ponder[out->n_ponder++] = (struct mdl_ponder){stats, 0, 1, 1.0};
    return h;
}

static void build_pretrainer(const struct mdl_build *b, const struct mdl_shape *shape,
                             bool want_logits, struct mdl_graph *out)
{
    struct gr_tensor *x = encoder(b, shape, out), *h;

    out->targets = gr_ids(b->g, 2, (int64_t[]){shape->batch, shape->targets_length});
    unread_pooler(b);
    h = dense(b, masked(b, x, shape, out), "cls/predictions/transform/dense", x->dims[2]);
    h = norm(b, nn_gelu(b->g, h), "cls/predictions/transform/LayerNorm");
    if (b->problem->sentence_label && !want_logits)
        h = sentence_loss(b, x, h, out);
    mdl_symbol_loss(b, with_one(b, h, out), with_bias(b), want_logits, out);
}

/* ---- answers ---- */

/* Column i of x (B, L, 2): (B, 1, L). */
static struct gr_tensor *column(const struct mdl_build *b, struct gr_tensor *x, int64_t i)
{
    int64_t pairs[] = {x->dims[0] * x->dims[1], 2, 1}, row[] = {x->dims[0], 1, x->dims[1]};
    struct gr_tensor *y = nn_slice_positions(b->g, nn_reshape(b->g, x, 3, pairs), i, 1, 1);

    return nn_reshape(b->g, y, 3, row);
}

/* A mean over 2 B rows is half of that over where answers begin and half of where they end. */
static void build_span_labeler(const struct mdl_build *b, const struct mdl_shape *shape,
                               bool want_logits, struct mdl_graph *out)
{
    struct gr_tensor *x = encoder(b, shape, out), *ends[2];

    out->targets = gr_ids(b->g, 2, (int64_t[]){shape->batch, 2});
    unread_pooler(b);
    x = dense(b, x, "predictions/transform/logits", 2);
    for (int i = 0; i < 2; i++)
        ends[i] = column(b, x, i);
    x = nn_convert(b->g, nn_join_positions(b->g, ends, 2, shape->batch),
                   DEV_FLOAT32); /* (B, 2, L) */
    if (want_logits)
        out->logits = x;
    else
        out->loss = nn_class_loss(b->g, x, out->targets, 0.0, &out->row_stats);
}

/* ---- refusals ---- */

static enum t2_status check(const char *model, const struct mdl_hparams *hp, struct t2_err *err)
{
    static const char *const sizes[] = {"hidden_size",     "num_hidden_layers",       "num_heads",
                                        "filter_size",     "max_position_embeddings", "vocab_size",
                                        "type_vocab_size", "sentence_head_size"};
    enum { MOST = 1 << 24 };

    T2_TRY(mdl_check_keys_of(model, hp, own_set, err));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (mdl_hp_int(hp, sizes[i]) < 1 || mdl_hp_int(hp, sizes[i]) > MOST)
            return t2_fail(err, T2_EUSAGE, "%s: hparam %s=%lld is not between 1 and %d", model,
                           sizes[i], (long long) mdl_hp_int(hp, sizes[i]), MOST);
    if (mdl_hp_int(hp, "hidden_size") % mdl_hp_int(hp, "num_heads") != 0)
        return t2_fail(err, T2_EUSAGE, "%s: hidden_size=%lld is no multiple of num_heads=%lld",
                       model, (long long) mdl_hp_int(hp, "hidden_size"),
                       (long long) mdl_hp_int(hp, "num_heads"));
    if (!(mdl_hp_float(hp, "initializer_range") >= 0.0))
        return t2_fail(err, T2_EUSAGE, "%s: initializer_range=%g is negative", model,
                       mdl_hp_float(hp, "initializer_range"));
    return T2_OK;
}

static enum t2_status check_classifier(const struct mdl_hparams *hp,
                                       const struct mdl_problem *problem, struct t2_err *err)
{
    if (problem->sentences != MDL_SENTENCES_LABELLED || problem->target != MDL_TARGET_IDS)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s needs records of sentences with one class label each (input_ids, "
                       "input_mask, segment_ids, label_ids)",
                       classifier);
    return check(classifier, hp, err);
}

static enum t2_status check_pretrainer(const struct mdl_hparams *hp,
                                       const struct mdl_problem *problem, struct t2_err *err)
{
    if (problem->sentences != MDL_SENTENCES_MASKED)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s needs records of masked sentences (input_ids, input_mask, segment_ids, "
                       "masked_lm_positions, masked_lm_ids, masked_lm_weights)",
                       pretrainer);
    return check(pretrainer, hp, err);
}

static enum t2_status check_span_labeler(const struct mdl_hparams *hp,
                                         const struct mdl_problem *problem, struct t2_err *err)
{
    if (problem->sentences != MDL_SENTENCES_ANSWERED)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s needs records of questions and texts (input_ids, input_mask, "
                       "segment_ids, start_positions, end_positions)",
                       span_labeler);
    return check(span_labeler, hp, err);
}

static enum t2_status check_shape(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                  const struct mdl_shape *shape, struct t2_err *err)
{
    (void) problem;
    if (shape->inputs_length <= mdl_hp_int(hp, "max_position_embeddings"))
        return T2_OK;
    return t2_fail(err, T2_EUSAGE,
                   "a row of %d ids has more positions than hparam "
                   "max_position_embeddings=%lld",
                   shape->inputs_length, (long long) mdl_hp_int(hp, "max_position_embeddings"));
}

const struct mdl_kind mdl_mg_bert_classifier = {.name = classifier,
                                                .own_set = own_set,
                                                .check = check_classifier,
                                                .check_shape = check_shape,
                                                .build = build_classifier,
                                                .plain_loss = mdl_cnn_plain_loss};
const struct mdl_kind mdl_mg_bert_pretrainer = {.name = pretrainer,
                                                .own_set = own_set,
                                                .check = check_pretrainer,
                                                .check_shape = check_shape,
                                                .build = build_pretrainer,
                                                .plain_loss = mdl_cnn_plain_loss};
const struct mdl_kind mdl_mg_bert_span_labeler = {.name = span_labeler,
                                                  .own_set = own_set,
                                                  .check = check_span_labeler,
                                                  .check_shape = check_shape,
                                                  .build = build_span_labeler,
                                                  .plain_loss = mdl_cnn_plain_loss};
