/*
 * train/models/model.h - a model with its variables on a device: train, evaluate, decode.
 *
 * Models are registered by name (registry.c); the loop, the decoder and the tests see only this.
 */
#ifndef MDL_MODEL_H
#define MDL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "train/device/device.h"
#include "train/graph/params.h"
#include "train/models/hparams.h"

/* The size of images; 0 without. */
struct mdl_image {
    int32_t height, width, channels;
};

/* The model's view of its problem. */
struct mdl_problem {
    bool has_inputs;
    int32_t inputs_vocab; /* number of ids */
    int32_t targets_vocab;
    int input_space_id; /* spec t2t-trainer.md §3.3 */
    int target_space_id;
    double loss_multiplier; /* 1.0 for text */
    bool class_labels;      /* targets are one label per example; also label 0 counts */
    /* Images to classes: class_labels then, targets_vocab is the number of classes, and has_inputs
     * is false. */
    struct mdl_image image;
};

/* One batch on the host: the rows that this rank has of it.  B: batch; L: the length of a side, as
 * long as the longest row of all ranks, padded with 0. */
struct mdl_batch {
    int32_t batch;         /* B; 0: this rank has no row of it */
    int32_t inputs_length; /* 0 when the problem has no inputs */
    int32_t targets_length;
    /* Rows first_row .. first_row + batch - 1 of all_rows: where this rank's random numbers begin.
     * Only input/ sets them, and in a run of one rank they are 0 and batch. */
    int32_t first_row, all_rows;
    const int32_t *inputs;  /* (B, L of inputs) */
    const int32_t *targets; /* (B, L of targets) */
    /* Packed data only, else NULL: same shape as the ids; positions lie in their row. */
    const int32_t *inputs_segmentation, *inputs_position;
    const int32_t *targets_segmentation, *targets_position;
    /* Images only, else 0 and NULL. */
    int32_t height, width, channels; /* H, W, C */
    const float *images;             /* (B, H, W, C) */
    /* In place of images, when in_options.image_bytes asks for it, else NULL: byte b of channel c
     * stands for byte_values[c * 256 + b], the float that images would have. */
    const uint8_t *image_bytes; /* (B, H, W, C) */
    const float *byte_values;   /* (C, 256) */
    /* Images mixed of two, else NULL. */
    const int32_t *other_labels; /* (B): the label of the second */
    const float *label_weights;  /* (B): how much the label in targets counts; the rest is the
                                    other's */
};

/* The shape of a batch, for planning. */
struct mdl_shape {
    int32_t batch, inputs_length, targets_length;
    bool packed;                     /* rows of several examples, with segmentation and position */
    int32_t height, width, channels; /* of images; 0 without */
    bool mixed;                      /* of two, with other_labels */
};

enum mdl_mode { MDL_TRAIN, MDL_EVAL };

struct mdl;

/*
 * Builds the model, allocates variables and gradients, plans memory for the given shapes (the
 * largest of them decides the arena; other shapes that fit are planned when they first come).
 * Trainable parameters without a path to the loss are an error that names them.  hparams a model
 * does not support (an exotic attention, say) are T2_EUNSUPPORTED and named.  hp is copied.
 */
T2_MUST_CHECK enum t2_status mdl_new(const char *name, struct dev *dev,
                                     const struct mdl_hparams *hp,
                                     const struct mdl_problem *problem, enum mdl_mode mode,
                                     struct mdl **m, struct t2_err *err);
void mdl_free(struct mdl *m);

struct gr_params *mdl_params(struct mdl *m);
const struct mdl_hparams *mdl_hparams_of(const struct mdl *m);
const struct mdl_problem *mdl_problem_of(const struct mdl *m);

/* Layers are computed again in the backward pass (train/graph/remat.h): less memory, more time, the
 * same bits.  Before the first plan or step. */
void mdl_set_remat(struct mdl *m, bool remat);

/* Bytes of the arena that the largest of the shapes needs, in training steps (of a model for
 * training) or in evaluation; nothing is allocated. */
T2_MUST_CHECK enum t2_status mdl_plan_bytes(struct mdl *m, enum mdl_mode mode,
                                            const struct mdl_shape *shapes, size_t n_shapes,
                                            uint64_t *arena_bytes, struct t2_err *err);
/* The same for mdl_logits and mdl_class_logits of one shape. */
T2_MUST_CHECK enum t2_status mdl_plan_logits(struct mdl *m, const struct mdl_shape *shape,
                                             uint64_t *arena_bytes, struct t2_err *err);
/* Allocates an arena of so many bytes, if it is not that large. */
T2_MUST_CHECK enum t2_status mdl_reserve(struct mdl *m, uint64_t arena_bytes, struct t2_err *err);
/* Both: plans for the largest shapes and allocates the arena once; *arena_bytes may be NULL. */
T2_MUST_CHECK enum t2_status mdl_plan(struct mdl *m, const struct mdl_shape *shapes,
                                      size_t n_shapes, uint64_t *arena_bytes, struct t2_err *err);

T2_MUST_CHECK enum t2_status mdl_initialise(struct mdl *m, uint64_t seed, struct t2_err *err);

/* Sum of the loss over targets, the number of targets that count, and of those predicted right
 * (evaluation only). */
struct mdl_loss {
    double numerator;
    double denominator;
    double n_correct; /* argmax == label, weighted positions */
    double n_top5;    /* label among the five largest */
    double log_prob;  /* sum of log p(label) without smoothing; evaluation only */
    double n_sequences_correct;
    double regulariser; /* of the model (kind.h): numerator has it denominator times */
};

/* Forward and backward, and the model's regulariser: gradients of numerator / max(1, denominator)
 * go to params->grads (overwritten).  seed and step name the dropout streams. */
T2_MUST_CHECK enum t2_status mdl_train_step(struct mdl *m, const struct mdl_batch *batch,
                                            uint64_t seed, uint64_t step, struct mdl_loss *loss,
                                            struct t2_err *err);
/* From now on every training step adds its times per operator to *profile (NULL: no longer). */
struct gr_profile;
void mdl_set_profile(struct mdl *m, struct gr_profile *profile);

/* Forward only, in evaluation mode (no dropout, no label smoothing). */
T2_MUST_CHECK enum t2_status mdl_evaluate(struct mdl *m, const struct mdl_batch *batch,
                                          struct mdl_loss *loss, struct t2_err *err);
/* Teacher-forced logits (batch, targets_length, rows of the softmax table) to the host, for tests
 * and tools. */
T2_MUST_CHECK enum t2_status mdl_logits(struct mdl *m, const struct mdl_batch *batch, float *logits,
                                        struct t2_err *err);

/* Logits (batch, targets_vocab) of a problem of class labels; the batch's targets are not looked
 * at. */
T2_MUST_CHECK enum t2_status mdl_class_logits(struct mdl *m, const struct mdl_batch *batch,
                                              float *logits, struct t2_err *err);

/* True if hypotheses are searched as the official Transformer does (decode/decode.h). */
bool mdl_official_search(const struct mdl *m);

/* ---- decoding, step by step, with key/value caches ---- */

struct mdl_decoder;

/* `batch` sources of inputs_length ids, and `beam` hypotheses of each, of up to max_length ids. */
struct mdl_search_shape {
    int32_t batch, beam, inputs_length, max_length;
};

/*
 * A decoder keeps the graphs of the shapes that it has seen, the least recently used of which go
 * when all that it has would be more than max_bytes.  T2_EUNSUPPORTED: the model cannot be decoded.
 */
T2_MUST_CHECK enum t2_status mdl_decoder_new(struct mdl *m, uint64_t max_bytes,
                                             struct mdl_decoder **d, struct t2_err *err);
void mdl_decoder_free(struct mdl_decoder *d);
/* What a search of this shape takes beside the variables: the arena that its graphs are planned
 * for, caches, the graphs.  Nothing of it is allocated but the graphs, which mdl_decoder_begin
 * finds.  Where it is above max_bytes, *bytes may be any number between the two. */
T2_MUST_CHECK enum t2_status mdl_decoder_plan(struct mdl_decoder *d,
                                              const struct mdl_search_shape *shape, uint64_t *bytes,
                                              struct t2_err *err);
/* Encodes the sources (batch, inputs_length) and starts rows = batch * beam empty hypotheses; row r
 * belongs to source r / beam.  max_bytes or not. */
T2_MUST_CHECK enum t2_status mdl_decoder_begin(struct mdl_decoder *d,
                                               const struct mdl_search_shape *shape,
                                               const int32_t *inputs, struct t2_err *err);
/* How many graphs were built so far: none for a shape that comes again. */
int64_t mdl_decoder_n_built(const struct mdl_decoder *d);
/* Feeds the ids of step `step` - 1 (step 0: nothing, the zero vector) and gives logits (rows,
 * mdl_decoder_vocab), borrowed until the next call.  Steps come in order from 0. */
T2_MUST_CHECK enum t2_status mdl_decoder_step(struct mdl_decoder *d, int32_t step,
                                              const int32_t *ids, const float **logits,
                                              struct t2_err *err);
/* Columns of the logits since mdl_decoder_begin: the vocabulary, or more where the table of the
 * softmax has rows that stand for nothing (hparams vocab_divisor, vocab_size). */
int32_t mdl_decoder_vocab(const struct mdl_decoder *d);
/* After a step: hypothesis r continues what hypothesis from[r] was. */
T2_MUST_CHECK enum t2_status mdl_decoder_reorder(struct mdl_decoder *d, const int32_t *from,
                                                 struct t2_err *err);

/* Registered model names, sorted. */
size_t mdl_count(void);
const char *mdl_name(size_t i);

#endif
