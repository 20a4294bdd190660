/*
 * train/models/kind.h - what a kind of model gives to model.c; not for the rest of train/.
 *
 * To add a model: a file with a struct mdl_kind, and its line in registry.c.
 */
#ifndef MDL_KIND_H
#define MDL_KIND_H

#include "train/graph/graph.h"
#include "train/models/model.h"

/* What a stack's steps cost (ops/halt.h), or a second loss (ops/class_loss.h): a part of the loss
 * beside the mean over targets. */
struct mdl_ponder {
    struct gr_tensor *state; /* (rows, columns) */
    int64_t first, n;        /* the columns that are added */
    double weight;           /* of their mean over all rows of state, of all ranks */
};

/* A graph with its ends. */
struct mdl_graph {
    struct gr_graph *g;
    struct mdl_shape shape;
    /* GR_IDS, and GR_FLOATS (B, H, W, C); NULL when the model or the batch has none.  Of speech the
     * inputs are made by the graph: 1 where a position holds something. */
    struct gr_tensor *images;
    struct gr_tensor *other_labels, *label_weights; /* (B, 1), GR_FLOATS (B); of mixed images */
    struct gr_tensor *inputs, *targets;
    struct gr_tensor *values; /* GR_FLOATS (B, K): targets that are no ids */
    struct gr_tensor *pixels; /* GR_FLOATS: the targets, 0 to 255, as -1 to 1 */
    struct gr_tensor *inputs_segmentation, *inputs_position;
    struct gr_tensor *targets_segmentation, *targets_position;
    /* Of sentences: types (B, Li); (1, B Lt) rows of all B Li positions; labels (B, 1). */
    struct gr_tensor *types, *masked_rows, *sentence_labels;
    /* Prepended inputs (prepend.h): the targets with 0 where the loss does not count; what sees
     * what.
     */
    struct gr_tensor *labels, *levels;
    struct gr_tensor *row_weights; /* GR_FLOATS (B, L): of the loss (task_weights.h), or NULL */
    struct gr_tensor *recalled;    /* (B, M + L): 1 where memory and targets hold something */
    /* With mdl_build.draws_given: GR_FLOATS (…, B) for each of the model's drawings. */
    struct gr_tensor **given_draws;
    int n_given_draws;
    struct gr_tensor *row_stats; /* of a loss graph (ops/xent.h) */
    struct gr_tensor *logits;    /* of a logits or step graph */
    struct gr_tensor *best;      /* of an evaluation that predicts (ops/best_rows.h), else NULL */
    /* Of an evaluation, what the model gives: of values (B, K); of pixels, where it predicts, their
     * logits (B, L, 256). */
    struct gr_tensor *given;
    struct gr_node *loss;
    struct mdl_ponder ponder[2];
    int n_ponder;
    struct gr_tensor
        *class_logits; /* what the loss of an image model is of; not kept after a run */
};

/* Constants that the graphs of a model share; a graph keeps the address of the struct. */
struct mdl_tables {
    float *timing; /* (n_positions, hidden size), device memory; NULL: only planned */
    int64_t n_positions;
};

/* A source sentence per batch element, as the decoder sees it: made by the encode graph, read by
 * the step graph. */
enum { MDL_MAX_LAYERS = 64 };

struct mdl_memory {
    int32_t n_layers;
    struct gr_tensor *k[MDL_MAX_LAYERS], *v[MDL_MAX_LAYERS]; /* (B, L, channels) */
};

/* What a decoder layer keeps of the positions so far: keys, values, what its feed-forward layer
 * reads, and, where keys and values are those of areas, what these are made of. */
enum mdl_cache {
    MDL_CACHE_K,
    MDL_CACHE_V,
    MDL_CACHE_F,
    MDL_CACHE_AREA_K,
    MDL_CACHE_AREA_V,
    MDL_N_CACHES
};

/* Inputs and caches that a step graph is built around. */
struct mdl_step {
    int32_t rows, beam, inputs_length, max_length;
    int32_t shortlist;               /* symbols that a source has logits of (shortlist.h); 0: all */
    struct gr_tensor *table;         /* out: of the softmax (V, D) */
    const struct mdl_memory *memory; /* of the encode graph; NULL without inputs */
    /* Out: constants without a value, whose places are the decoder's.  By layer: the caches, of
     * rows max_length channels numbers, those that it needs; the memory's k and v. */
    struct gr_tensor *caches[MDL_N_CACHES][MDL_MAX_LAYERS];
    struct gr_tensor *memory_k[MDL_MAX_LAYERS], *memory_v[MDL_MAX_LAYERS];
    struct gr_tensor *memory_inputs; /* its ids are the source's */
    struct gr_tensor *origins;     /* (rows, 1): whom each hypothesis continues; NULL: beam is 1 */
    struct gr_tensor *cache_index; /* nn_cache_index of it */
};

/* One position of images that are drawn, and what a graph of it is built around. */
struct mdl_pixel_step {
    int32_t rows;
    /* Out.  Inputs that are there are filled before a run: what stands in front of the position, a
     * number of the table of values, -1 for none (rows, 1), or pixels (rows, 1, 3) and 1, or 0 for
     * none (rows); the labels (rows, 1); the position (rows, 1). */
    struct gr_tensor *values, *pixels, *keep, *labels, *position;
    struct gr_tensor *logits; /* (rows, 1, columns) */
    /* Keys and values (rows, cache_rows, channels), whose places are the caller's: of one block, or
     * of a block and the one before, or of all positions in the order in which they are written. */
    int64_t block, cache_rows;
    int32_t n_layers;
    struct gr_tensor *k[MDL_MAX_LAYERS], *v[MDL_MAX_LAYERS];
    /* Of all positions: 1 where a layer sees the row; (rows, n) for the n rows that are filled. */
    struct gr_tensor *seen[MDL_MAX_LAYERS];
};

struct mdl_build {
    struct gr_graph *g;
    const char *model; /* its name, where names of variables begin */
    const struct mdl_hparams *hp;
    const struct mdl_problem *problem;
    const struct mdl_tables *tables;
    bool predicts;    /* evaluation also says which ids are most likely */
    bool draws_given; /* a test has numbers in place of the model's random ones */
    bool decodes;     /* logits of prefixes: a row must not depend on the others' lengths */
};

struct mdl_kind {
    const char *name;
    const char *own_set; /* a registered set that was made for it (models/model_keys.h) */
    /* NULL, or a set whose keys its own sets lack and the code that it shares with another model
     * reads: with that set's values they enter the model's hparams. */
    const char *shared_set;
    bool reads_tables;     /* mdl_problem.table */
    bool targets_alone;    /* inputs that a problem has are not read */
    bool describes_images; /* mdl_problem.describes */
    /* Above 0: its timing signal has so many sines and as many cosines, else half of hidden_size
     * each; and the pixels of an image are positions, too. */
    int32_t timescales;
    const char *variables; /* the name that its variables begin with, or NULL: its own */
    /* Names what it cannot do (T2_EUNSUPPORTED). */
    enum t2_status (*check)(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err);
    /* The same for batches of a shape; may be NULL. */
    enum t2_status (*check_shape)(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                  const struct mdl_shape *shape, struct t2_err *err);
    /* Makes the shape that of a graph which batches of this one can be run by, with padding; may be
     * NULL. */
    void (*round_shape)(struct mdl_shape *shape);
    /* Teacher-forced: fills loss and row_stats, or, with want_logits, logits. */
    void (*build)(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out);
    /* True if the loss of evaluation has the label_smoothing of training; may be NULL. */
    bool (*smooths_evaluation)(const struct mdl_hparams *hp);
    /* True if the problem's loss_multiplier does not count; may be NULL. */
    bool (*plain_loss)(const struct mdl_hparams *hp);
    /* The factor of a variable's sum of squares in the loss of whole batches (models/regularise.h),
     * which then reads hparam weight_decay in place of the optimizer.  May be NULL. */
    double (*l2)(const char *variable, const struct mdl_hparams *hp);
    bool l2_in_training_only; /* evaluation's loss is without it */
    /* Of a model that makes images: positions of an example that the loss counts; of a row of its
     * grid of positions. */
    int64_t (*image_positions)(const struct mdl_hparams *hp, const struct mdl_image *image);
    int64_t (*image_columns)(const struct mdl_hparams *hp, const struct mdl_image *image);
    bool (*reads_labels)(const struct mdl_hparams *hp);
    void (*build_pixel_step)(const struct mdl_build *b, struct mdl_pixel_step *step);
    /* The position that is written n-th, the one whose value is fed for it, -1 for none, and, where
     * a step says so, what a layer sees of places[0 .. n] from the last of them. */
    int64_t (*pixel_place)(const struct mdl_hparams *hp, const struct mdl_image *image, int64_t n);
    int64_t (*pixel_fed)(const struct mdl_hparams *hp, const struct mdl_image *image, int64_t n);
    void (*pixel_seen)(const struct mdl_hparams *hp, const struct mdl_image *image, int layer,
                       const int64_t *places, int64_t n, int32_t *seen);
    /* Names images that cannot be drawn. */
    enum t2_status (*check_drawn_image)(const struct mdl_hparams *hp, const struct mdl_image *image,
                                        struct t2_err *err);
    /* Names what it cannot do when decoding; may be NULL. */
    enum t2_status (*check_decoding)(const struct mdl_hparams *hp, struct t2_err *err);
    /* NULL when the model cannot be decoded step by step. */
    void (*build_encode)(const struct mdl_build *b, int32_t batch, int32_t inputs_length,
                         struct mdl_graph *out, struct mdl_memory *memory);
    void (*build_step)(const struct mdl_build *b, struct mdl_step *step, struct mdl_graph *out);
    int32_t (*n_decoder_layers)(const struct mdl_hparams *hp);
    /* Channels of a layer's caches, which are 0: none. */
    void (*cache_channels)(const struct mdl_hparams *hp, int32_t layer,
                           int64_t channels[MDL_N_CACHES]);
    bool remembers; /* batches of texts that come in chunks; only one after the other */
    /* Of a model that remembers, decoded with caches in place of its memory: positions of a chunk,
     * at whose begin the last id is not read; the most positions of a text.  May be NULL. */
    int64_t (*chunk_positions)(const struct mdl_hparams *hp);
    int64_t (*most_positions)(const struct mdl_hparams *hp);
    bool official_search; /* mdl_official_search */
    /* Above 0: it can be decoded from the whole prefix at every step, of a length that is rounded
     * up to a multiple of this (the original's slow inference); build_step is NULL then. */
    int32_t prefix_multiple;
};

extern const struct mdl_kind mdl_attention_lm_moe, mdl_transformer_regressor,
    mdl_transformer_revnet;
extern const struct mdl_kind mdl_evolved_transformer, mdl_lstm_encoder, mdl_lstm_seq2seq_attention,
    mdl_lstm_seq2seq_attention_bidirectional_encoder, mdl_text_cnn;
extern const struct mdl_kind mdl_attention_lm, mdl_lstm_seq2seq,
    mdl_lstm_seq2seq_bidirectional_encoder, mdl_transformer_scorer, mdl_image_transformer,
    mdl_image_transformer_2d, mdl_img2img_transformer;
extern const struct mdl_kind mdl_basic_fc_relu, mdl_byte_net, mdl_flowers_cnn, mdl_keras_resnet50,
    mdl_mg_bert_classifier, mdl_mg_bert_pretrainer, mdl_mg_bert_span_labeler, mdl_mg_mobilenet,
    mdl_mg_resnet, mdl_mg_vit, mdl_mnist_cnn, mdl_official_transformer, mdl_record_net, mdl_resnet,
    mdl_revnet, mdl_shake_shake, mdl_slice_net, mdl_tpu_resnet, mdl_transformer,
    mdl_transformer_encoder, mdl_transformer_memory, mdl_universal_transformer,
    mdl_universal_transformer_encoder, mdl_xception;

/* What the variables of a model begin with. */
static inline const char *mdl_variables_of(const struct mdl_kind *kind)
{
    return kind->variables ? kind->variables : kind->name;
}

/* Of every name that ends in .yaml: hparam layer_file has the layers (layer_file.h). */
extern const struct mdl_kind mdl_layer_file;

const struct mdl_kind *mdl_find_kind(const char *name);

enum { MDL_NAME_BYTES = 64 };
/* Adds a kind, which lives as long as the program, to those that are found by name.  T2_EFORMAT
 * names what is wrong with it.  Before there are threads. */
T2_MUST_CHECK enum t2_status mdl_register(const struct mdl_kind *kind, struct t2_err *err);

#endif
