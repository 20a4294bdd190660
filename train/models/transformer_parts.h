/*
 * train/models/transformer_parts.h - the pieces of the Transformer: sizes, variables, sub-layers.
 *
 * transformer.c puts them together; transformer_check.c says what is refused.
 */
#ifndef MDL_TRANSFORMER_PARTS_H
#define MDL_TRANSFORMER_PARTS_H

#include "train/models/kind.h"
#include "train/ops/attention.h"
#include "train/ops/halt.h"

enum {
    MDL_TF_NAME_BYTES = 160,
    MDL_TF_FULL_NAME_BYTES = 2 * MDL_TF_NAME_BYTES,
    MDL_TF_SPACES = 32 /* rows of the target space embedding */
};

/* ---- sizes and strings of the hparams ---- */

int32_t mdl_tf_encoder_layers(const struct mdl_hparams *hp);
int32_t mdl_tf_decoder_layers(const struct mdl_hparams *hp);
void mdl_tf_channels(const struct mdl_hparams *hp, int64_t *k, int64_t *v);
/* Python's None, which reads as "None", and the text "none" both mean nothing. */
const char *mdl_tf_string(const struct mdl_hparams *hp, const char *hparam);
bool mdl_tf_is(const struct mdl_hparams *hp, const char *hparam, const char *value);
/* True if the comma-separated integers of *_dropout_broadcast_dims hold dim; mdl_tf_dims_within: if
 * all of them are in `known`, a string of digits. */
bool mdl_tf_has_dim(const struct mdl_hparams *hp, const char *hparam, char dim);
bool mdl_tf_dims_within(const struct mdl_hparams *hp, const char *hparam, const char *known);
/* The dropout of `hparam`, with its broadcast dims. */
struct gr_drop mdl_tf_drop(const struct mdl_hparams *hp, const char *hparam);

/* ---- variables: "<scope>/<name>" ---- */

struct gr_tensor *mdl_tf_kernel(const struct mdl_build *b, const char *scope, const char *name,
                                int64_t rows, int64_t cols);
struct gr_tensor *mdl_tf_vector(const struct mdl_build *b, const char *scope, const char *name,
                                int64_t n, enum gr_init init);
struct gr_tensor *mdl_tf_variable(const struct mdl_build *b, const char *scope, const char *name,
                                  int rank, const int64_t *dims, enum gr_init init, double gain);

/* One that the original has and reads nowhere, so that it has no gradient: no optimizer knows it.
 */
void mdl_tf_unread(const struct mdl_build *b, const char *scope, const char *name, int rank,
                   const int64_t *dims, enum gr_init init);

/* The table of one use: shared by all, by both embeddings, or its own (spec t2t-trainer.md
 * §3.2). */
enum mdl_tf_table { MDL_TF_INPUTS, MDL_TF_TARGETS, MDL_TF_SOFTMAX };
struct gr_tensor *mdl_tf_symbols(const struct mdl_build *b, enum mdl_tf_table use);
/* The same of another width than hidden_size, which it has in the name in any case. */
struct gr_tensor *mdl_tf_symbols_of(const struct mdl_build *b, enum mdl_tf_table use,
                                    int64_t width);
/* hparam symbol_dropout, in a training graph whose inputs are made and not yet read. */
void mdl_tf_drop_symbols(const struct mdl_build *b, const struct mdl_graph *out);

/* ---- sub-layers; `sublayer` is the scope of one ---- */

/* Norm, dropout and residual sum before and after a sub-layer (§3.4).  row_ids: rows with 0 are
 * left out by the pad remover. */
struct gr_tensor *mdl_tf_before(const struct mdl_build *b, struct gr_tensor *x, const char *scope);
/* The second time in a scope: with variables of its own. */
struct gr_tensor *mdl_tf_before_again(const struct mdl_build *b, struct gr_tensor *x,
                                      const char *scope);
struct gr_tensor *mdl_tf_after(const struct mdl_build *b, struct gr_tensor *x, struct gr_tensor *y,
                               struct gr_tensor *row_ids, const char *scope);

/* One of the projections "q", "k", "v" of multi-head attention. */
struct gr_tensor *mdl_tf_project(const struct mdl_build *b, struct gr_tensor *x,
                                 const char *sublayer, char which);
/* Queries x against keys and values that are there already, then the output transform.  a: the
 * masks, and the heads where they are not num_heads; scale, dropout and the like are filled in.
 * self: relative positions where the hparams say so. */
struct gr_tensor *mdl_tf_attend(const struct mdl_build *b, struct gr_tensor *x, struct gr_tensor *k,
                                struct gr_tensor *v, struct nn_attention a, bool self,
                                const char *sublayer);
/* Self- or encoder-decoder attention in teacher-forced graphs. */
struct gr_tensor *mdl_tf_attention(const struct mdl_build *b, struct gr_tensor *x,
                                   struct gr_tensor *memory, const struct nn_attention *masks,
                                   const char *sublayer);

/* ---- memory across chunks (chunk_memory.c) ---- */

/* By hparams num_memory_items, else split_targets_chunk_length. */
int64_t mdl_tf_memory_items_of(const struct mdl_hparams *hp);
/* Positions that each layer remembers; 0 of models without memory. */
int32_t mdl_tf_memory_items(const struct mdl_build *b);
/* Self-attention of x (B, L, D) to what the layer remembers and to itself; x is remembered. */
struct gr_tensor *mdl_tf_recalling_attention(const struct mdl_build *b, struct gr_tensor *x,
                                             const struct nn_attention *masks, int32_t layer,
                                             const char *sublayer);

/* The surroundings of a feed-forward layer. */
struct mdl_tf_place {
    bool decoder;
    struct gr_tensor *row_ids;     /* encoder: rows whose id is 0 are padding */
    struct gr_tensor *cache;       /* decoding: of mdl_tf_ffn_cache channels, else NULL */
    struct gr_tensor *cache_index; /* struct mdl_step */
};

struct gr_tensor *mdl_tf_feed_forward(const struct mdl_build *b, struct gr_tensor *x,
                                      const struct mdl_tf_place *place, const char *sublayer);
/* True for dense_relu_dense, whose padding rows the pad remover leaves out. */
bool mdl_tf_is_dense(const struct mdl_hparams *hp);
/* Channels of what a feed-forward layer remembers of earlier positions while decoding; 0:
 * nothing. */
int64_t mdl_tf_ffn_cache(const struct mdl_hparams *hp);

/* ---- adaptive steps (universal_halting.c) ---- */

struct mdl_ut_halting {
    struct gr_tensor *logits; /* of the step that has begun */
    struct nn_halted halted;
};

bool mdl_ut_is_adaptive(const struct mdl_hparams *hp);
/* x (B, L, D) as a step of "encoder" or "decoder" gets it, and as it leaves the step. */
void mdl_ut_begin_step(const struct mdl_build *b, struct gr_tensor *x, const char *stack,
                       struct mdl_ut_halting *h);
void mdl_ut_end_step(const struct mdl_build *b, struct gr_tensor *x, struct mdl_ut_halting *h);
/* What the steps give; out: where their loss is kept, NULL: nobody wants it. */
struct gr_tensor *mdl_ut_result(const struct mdl_build *b, const struct mdl_ut_halting *h,
                                struct mdl_graph *out);

/* ---- the layers of a stack, "encoder" or "decoder", in their order ---- */

int32_t mdl_tf_layers(const struct mdl_build *b, bool decoder);
/* The same of a Universal Transformer, by its hparams. */
int32_t mdl_ut_layers(const struct mdl_hparams *hp);
/* The scope of a layer's sub-layer `what`. */
void mdl_tf_sublayer(const struct mdl_build *b, char name[MDL_TF_NAME_BYTES], const char *stack,
                     int32_t layer, const char *what);
/* The first layer with the variables of this one: itself, where none are shared. */
int32_t mdl_tf_first_alike(const struct mdl_build *b, int32_t layer);
/* x as the layer gets it: with the signals of a step, if it begins one.  at_position: x is one
 * position of decoding. */
struct gr_tensor *mdl_tf_enter_layer(const struct mdl_build *b, struct gr_tensor *x,
                                     const char *stack, int32_t layer, bool at_position,
                                     struct mdl_ut_halting *halting);
/* x as the next layer gets it; out: of a graph with a loss, else NULL. */
struct gr_tensor *mdl_tf_leave_layer(const struct mdl_build *b, struct gr_tensor *x, int32_t layer,
                                     struct mdl_ut_halting *halting, struct mdl_graph *out);

/* ---- reversible stacks (reversible_layers.c) ---- */

/* What a model that has them has for its name. */
extern const char mdl_rev_name[];
bool mdl_is_revnet(const struct mdl_build *b);
/* x (B, L, D) through all layers of "encoder", or of "decoder", which sees encoded. */
struct gr_tensor *mdl_rev_encoder(const struct mdl_build *b, struct gr_tensor *x,
                                  const struct nn_attention *masks);
struct gr_tensor *mdl_rev_decoder(const struct mdl_build *b, struct gr_tensor *x,
                                  struct gr_tensor *encoded,
                                  const struct nn_attention *memory_masks);

/* ---- whole graphs, as struct mdl_kind has them ---- */

void mdl_tf_build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out);
/* The encoder's mean, then one dense layer: a class label for a text. */
void mdl_tf_build_classifier(const struct mdl_build *b, const struct mdl_shape *shape,
                             bool want_logits, struct mdl_graph *out);
void mdl_tf_build_encode(const struct mdl_build *b, int32_t batch, int32_t inputs_length,
                         struct mdl_graph *out, struct mdl_memory *memory);
void mdl_tf_build_step(const struct mdl_build *b, struct mdl_step *step, struct mdl_graph *out);
void mdl_tf_cache_channels(const struct mdl_hparams *hp, int32_t layer,
                           int64_t channels[MDL_N_CACHES]);

/* ---- refusals ---- */

enum t2_status mdl_tf_check_shape(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                  const struct mdl_shape *shape, struct t2_err *err);
enum t2_status mdl_tf_check_classifier_shape(const struct mdl_hparams *hp,
                                             const struct mdl_problem *problem,
                                             const struct mdl_shape *shape, struct t2_err *err);
enum t2_status mdl_tf_check_decoding(const struct mdl_hparams *hp, struct t2_err *err);

/* Of attention_lm and its like, whose checked set lacks keys of the Transformer's
 * (attention_lm.c). */
enum t2_status mdl_lm_check(const char *name, const char *translating_set,
                            const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err);
enum t2_status mdl_tf_check(const char *model, const struct mdl_hparams *hp,
                            const struct mdl_problem *problem, struct t2_err *err);

#endif
