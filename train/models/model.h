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
#include "train/device/kernels.h"
#include "train/graph/params.h"
#include "train/models/hparams.h"
#include "train/models/task_weights.h"

/* The size of images; 0 without. */
struct mdl_image {
    int32_t height, width, channels;
};

/*
 * What the targets of an example are.  Of all but ids a batch has targets_vocab float32 values an
 * example (mdl_batch.values), and class_labels is true: there is one position.
 */
enum mdl_target_kind {
    MDL_TARGET_IDS,   /* ids of a sequence, or one class label */
    MDL_TARGET_REALS, /* numbers */
    MDL_TARGET_SET    /* for each of targets_vocab labels 1, it holds, or 0 */
};

/* Records of BERT: a row is the ids of a text, or of two, [CLS] in front and [SEP] behind each, and
 * of which text each id is. */
enum mdl_sentences {
    MDL_SENTENCES_NONE,
    MDL_SENTENCES_LABELLED, /* a class label, or a number */
    MDL_SENTENCES_MASKED,   /* targets are what some ids were before they were masked */
    MDL_SENTENCES_ANSWERED  /* targets are where in the row the answer begins, and where it ends */
};

/* The model's view of its problem. */
struct mdl_problem {
    bool has_inputs;
    int32_t inputs_vocab;  /* number of ids */
    int32_t targets_vocab; /* of ids, of classes; or how many values an example has */
    enum mdl_target_kind target;
    int input_space_id; /* spec t2t-trainer.md §3.3 */
    int target_space_id;
    double loss_multiplier; /* 1.0 for text */
    bool class_labels;      /* targets are one label per example; also label 0 counts */
    /* Images to classes: class_labels then, targets_vocab is the number of classes, and has_inputs
     * is false. */
    struct mdl_image image;
    /* Inputs are rows of image.channels numbers: images of one pixel. */
    bool table;
    /* Inputs are features of speech: image.height is 0, has_inputs is true, inputs_vocab 2 (a
     * position holds something, or not). */
    bool speech;
    /* Images are described: of image's size, has_inputs is true, class_labels false, and
     * inputs_vocab T2T's 256.  Batches have images, inputs_length = height * width, and no
     * inputs. */
    bool describes;
    /* Images are made: targets are the pixels of one of this size, row by row, its channels side by
     * side, numbers below targets_vocab, all of which count.  Inputs, where there are any, are one
     * class label, or the pixels of an image, if source has a height.  Else its height is 0. */
    struct mdl_image pixels, source;
    enum mdl_sentences sentences;
    int32_t types_vocab;           /* of sentences: an id is of one of so many texts */
    bool sentence_label;           /* of masked ones: also whether the second follows the first */
    bool targets_mask;             /* batches have one */
    struct mdl_task_weights tasks; /* of the loss; n is 0 but of several problems that want it */
};

/* Images to one label of a class, or to values. */
static inline bool mdl_classifies_images(const struct mdl_problem *p)
{
    return p->image.height > 0 && p->class_labels && !p->table;
}

static inline int32_t mdl_pixels_length(const struct mdl_image *p)
{
    return p->height * p->width * p->channels;
}

/* Inputs of an example of a problem whose images are made. */
static inline int32_t mdl_pixels_inputs(const struct mdl_problem *p)
{
    return p->source.height > 0 ? mdl_pixels_length(&p->source) : p->has_inputs;
}

/*
 * Speech (models/speech_bottom.h): T frames of features, and zeros behind them, become L positions
 * of the encoder.  It reads H rows of them and no others, so that batches have images (B,H,W,C) of
 * that height, inputs_length L, and no inputs.
 */
enum { MDL_SPEECH_MARGIN = 8 };
static inline int32_t mdl_speech_positions(int32_t frames)
{
    int32_t positions = ((frames + MDL_SPEECH_MARGIN - 1) / 2 - 1) / 2;

    return positions > 1 ? positions : 1;
}
static inline int32_t mdl_speech_rows(int32_t positions)
{
    return 4 * positions + 3;
}

/* One batch on the host: the rows that this rank has of it.  B: batch; L: the length of a side, as
 * long as the longest row of all ranks, padded with 0. */
struct mdl_batch {
    int32_t batch;         /* B; 0: this rank has no row of it */
    int32_t inputs_length; /* 0 when the problem has no inputs */
    int32_t targets_length;
    /* Rows first_row .. first_row + batch - 1 of all_rows: where this rank's random numbers begin.
     * Only input/ sets them, and in a run of one rank they are 0 and batch. */
    int32_t first_row, all_rows;
    const int32_t *inputs;  /* (B, L of inputs); NULL of speech and of images */
    const int32_t *targets; /* (B, L of targets); NULL of targets that are no ids */
    int32_t n_values;       /* K of targets that are no ids, targets_length is 1 then; else 0 */
    const float *values;    /* (B, K) */
    int32_t chunk; /* of texts that come in chunks: so many of each row were in earlier batches */
    /* Packed data only, else NULL: same shape as the ids; positions lie in their row. */
    const int32_t *inputs_segmentation, *inputs_position;
    const int32_t *targets_segmentation, *targets_position;
    /* Same shape as the targets: 1 where one counts in the loss, else 0; NULL: all count. */
    const int32_t *targets_mask;
    /* Sentences only, else NULL. */
    const int32_t *types;            /* (B, L of inputs): from 0 on, of which text an id is */
    const int32_t *masked_positions; /* (B, L of targets): where in the inputs a target stood */
    const int32_t *sentence_labels;  /* (B): 1 where the second text is any, 0 where it follows */
    /* Images and speech only, else 0 and NULL. */
    int32_t height, width, channels; /* H, W, C */
    const float *images;             /* (B, H, W, C) */
    /* In place of images, when in_options.image_bytes asks for it, else NULL: byte b of channel c
     * stands for byte_values[c * 256 + b], the float that images would have. */
    const uint8_t *image_bytes; /* (B, H, W, C) */
    const uint8_t *mirrored;  /* (B): 1 where the image is meant mirrored, left to right; or NULL */
    const float *byte_values; /* (C, 256) */
    /* Images mixed of two, else NULL. */
    const int32_t *other_labels; /* (B): the label of the second */
    const float *label_weights;  /* (B): how much the label in targets counts; the rest is the
                                    other's */
    uint64_t sent;               /* mdl_send's; 0: it was not */
};

/* The shape of a batch, for planning. */
struct mdl_shape {
    int32_t batch, inputs_length, targets_length;
    bool packed;                     /* rows of several examples, with segmentation and position */
    int32_t height, width, channels; /* of images; 0 without */
    bool mixed;                      /* of two, with other_labels */
    bool image_bytes;                /* how images come: the same graphs, other copies */
    int32_t n_values;                /* of targets that are no ids */
    enum mdl_sentences sentences;
};

enum mdl_mode { MDL_TRAIN, MDL_EVAL };

/* Rows that a model with memory across chunks (chunk_memory.c) has memory for. */
int32_t mdl_memory_rows(const struct mdl_hparams *hp);

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
/* The same in two halves: variables, batches and searches of a model that is only described can be
 * planned.  mdl_place allocates the variables, their gradients and mdl_small_bytes more. */
T2_MUST_CHECK enum t2_status mdl_describe(const char *name, struct dev *dev,
                                          const struct mdl_hparams *hp,
                                          const struct mdl_problem *problem, enum mdl_mode mode,
                                          struct mdl **m, struct t2_err *err);
T2_MUST_CHECK enum t2_status mdl_place(struct mdl *m, struct t2_err *err);
uint64_t mdl_small_bytes(const struct mdl *m);
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
/* Whether one that was planned convolves images. */
bool mdl_convolves(const struct mdl *m);
/* The same for mdl_logits and mdl_class_logits of one shape. */
T2_MUST_CHECK enum t2_status mdl_plan_logits(struct mdl *m, const struct mdl_shape *shape,
                                             uint64_t *arena_bytes, struct t2_err *err);
/* Allocates an arena of so many bytes, if it is not that large. */
T2_MUST_CHECK enum t2_status mdl_reserve(struct mdl *m, uint64_t arena_bytes, struct t2_err *err);
/* Both: plans for the largest shapes and allocates the arena once; *arena_bytes may be NULL. */
T2_MUST_CHECK enum t2_status mdl_plan(struct mdl *m, const struct mdl_shape *shapes,
                                      size_t n_shapes, uint64_t *arena_bytes, struct t2_err *err);

/*
 * Batches on a device with memory of its own.  mdl_send begins to copy one, which lies in memory of
 * dev.alloc_host and stays as it is, beside what the device computes; the step of this batch takes
 * it from there.  Two may be on their way; a third takes the place of the first.  A batch that was
 * not sent is copied by its step.  On a device of the host's memory nothing is copied, and nothing
 * waited for.
 */
T2_MUST_CHECK enum t2_status mdl_send(struct mdl *m, struct mdl_batch *batch, struct t2_err *err);
/* Waits until what steps have taken is copied: before its memory is written again. */
void mdl_wait_read(struct mdl *m);
/* The same for all that was sent; no step will take it: before memory of batches is freed. */
void mdl_forget_sent(struct mdl *m);
/* What the device keeps for batches of this shape; allocates so much, if it is not there. */
uint64_t mdl_sent_bytes(const struct mdl *m, const struct mdl_shape *shape);
T2_MUST_CHECK enum t2_status mdl_reserve_sent(struct mdl *m, uint64_t bytes, struct t2_err *err);
/* Positions of the longest of some shapes; of images 0, unless pixels are positions of the model.
 */
int32_t mdl_positions_of(const struct mdl *m, const struct mdl_shape *shapes, size_t n);
/* Bytes of the tables that graphs share, in device memory, when one is that long; makes it. */
uint64_t mdl_table_bytes(const struct mdl *m, int32_t positions);
T2_MUST_CHECK enum t2_status mdl_reserve_positions(struct mdl *m, int32_t positions,
                                                   struct t2_err *err);

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
    double ponder;      /* likewise: what these rows' steps add to the loss (kind.h) */
    /* Of an evaluation of a batch with targets_mask what numerator, denominator and log_prob would
     * be of the targets that count; those above are of all. */
    double masked_numerator, masked_denominator, masked_log_prob;
};

/* What a model with memory across chunks remembers of evaluation; after each one, so that no
 * checkpoint depends on it. */
void mdl_forget_evaluation(struct mdl *m);

/* Forward and backward, and the model's regulariser: gradients of numerator / max(1, denominator)
 * go to params->grads (overwritten).  seed and step name the dropout streams. */
/* From now on the loss of a training step is multiplied by `scale` > 0 in the backward pass, and
 * the gradients are divided by it: a power of two changes nothing but what would be too small or
 * too large for the device's precision.  1 at first. */
void mdl_set_loss_scale(struct mdl *m, double scale);
T2_MUST_CHECK enum t2_status mdl_train_step(struct mdl *m, const struct mdl_batch *batch,
                                            uint64_t seed, uint64_t step, struct mdl_loss *loss,
                                            struct t2_err *err);
/* The same in two halves, for a host that does not wait: losses are taken in the order of the
 * steps; at most DEV_READBACKS steps are without.  The batch's memory may change when mdl_wait_read
 * has returned. */
T2_MUST_CHECK enum t2_status mdl_queue_step(struct mdl *m, const struct mdl_batch *batch,
                                            uint64_t seed, uint64_t step, struct t2_err *err);
T2_MUST_CHECK enum t2_status mdl_take_loss(struct mdl *m, struct mdl_loss *loss,
                                           struct t2_err *err);
/* mdl_queue_step with an update behind it, in one recording (gr_run_step).  *queued is false where
 * that cannot be, as the calls differ between batches of one graph: the update is still to be
 * queued. */
struct gr_tail;
T2_MUST_CHECK enum t2_status mdl_queue_step_with(struct mdl *m, const struct mdl_batch *batch,
                                                 uint64_t seed, uint64_t step,
                                                 const struct gr_tail *update, bool *queued,
                                                 struct t2_err *err);
/*
 * The parts of mdl_queue_step, for a batch in several shards: the targets that count in one (0 rows
 * are allowed); the gradients of its share of the loss, numerator / max(1, n_targets of all), to
 * params->grads (overwritten), and its sums to mdl_sums_on_device; and, when gradients and sums are
 * those of all shards, the regulariser.
 */
int64_t mdl_count_targets(const struct mdl *m, const struct mdl_batch *batch);
T2_MUST_CHECK enum t2_status mdl_queue_gradients(struct mdl *m, const struct mdl_batch *batch,
                                                 int64_t n_targets, uint64_t seed, uint64_t step,
                                                 struct t2_err *err);
struct dev_loss_sums *mdl_sums_on_device(struct mdl *m); /* device memory */
void mdl_queue_regulariser(struct mdl *m);
/* The sum of the losses of the last batch that was queued, in device memory. */
const double *mdl_loss_on_device(const struct mdl *m);
/* Who hears in mdl_queue_gradients which of them stay as they are (graph/graph.h); NULL: nobody.
 * Not with a loss scale, which is taken off all of them at the end. */
struct gr_listener;
void mdl_set_listener(struct mdl *m, const struct gr_listener *listener);
/* From now on every training step adds its times per operator to *profile (NULL: no longer). */
struct gr_profile;
void mdl_set_profile(struct mdl *m, struct gr_profile *profile);
/* From now on every training step is watched (graph/watch.h; NULL: no longer). */
struct gr_watch;
void mdl_set_watch(struct mdl *m, struct gr_watch *watch);

/* From now on logits come of packed weights where the device is the host: the bits of a row do not
 * depend on the rows beside it, which a library's products do not promise.  The parameters do not
 * change any more. */
void mdl_pack_weights(struct mdl *m);
/* What packed weights take beside the parameters, those of logits and of searches: one pack of each
 * weight.  It grows while graphs are planned; mdl_decoder_plan has it, mdl_plan_logits has not. */
uint64_t mdl_packs_bytes(const struct mdl *m);
/* Forward only, in evaluation mode (no dropout, no label smoothing). */
T2_MUST_CHECK enum t2_status mdl_evaluate(struct mdl *m, const struct mdl_batch *batch,
                                          struct mdl_loss *loss, struct t2_err *err);
/* From now on an evaluation also finds the most likely id of every position of the targets, if they
 * are symbols; before the first plan or step. */
void mdl_set_predicts(struct mdl *m, bool predicts);
/* These ids (batch, targets_length), behind mdl_evaluate of the same batch; 0 where a logit is not
 * a number. */
T2_MUST_CHECK enum t2_status mdl_predictions(struct mdl *m, const struct mdl_batch *batch,
                                             int32_t *ids, struct t2_err *err);
/* Of targets that are no ids what the model gave, (batch, targets_vocab), behind mdl_evaluate of
 * the same batch: numbers, or logits of labels. */
T2_MUST_CHECK enum t2_status mdl_predicted_values(struct mdl *m, const struct mdl_batch *batch,
                                                  float *values, struct t2_err *err);
/* Teacher-forced logits (batch, targets_length, rows of the softmax table) to the host, for tests
 * and tools. */
T2_MUST_CHECK enum t2_status mdl_logits(struct mdl *m, const struct mdl_batch *batch, float *logits,
                                        struct t2_err *err);

/* Logits (batch, targets_vocab) of a problem of class labels; the batch's targets are not looked
 * at. */
T2_MUST_CHECK enum t2_status mdl_class_logits(struct mdl *m, const struct mdl_batch *batch,
                                              float *logits, struct t2_err *err);

/* The n (or all, if there are less) most likely labels of each row, best first, by log-probability:
 * best (batch, n); the batch's targets are not looked at.  T2_EFORMAT where a logit is not
 * finite. */
T2_MUST_CHECK enum t2_status mdl_class_best(struct mdl *m, const struct mdl_batch *batch, int32_t n,
                                            struct dev_candidate *best, struct t2_err *err);

/* True if hypotheses are searched as the official Transformer does (decode/decode.h). */
bool mdl_official_search(const struct mdl *m);

/* Of a model that makes images (pixel_sampler.h): positions of one, else 0; does it read labels? */
int64_t mdl_image_positions(const struct mdl *m);
bool mdl_reads_labels(const struct mdl *m);

/* ---- decoding, step by step, with key/value caches ---- */

struct mdl_decoder;

/* Does it make texts with caches, an id a step?  Only then dev.weights is read. */
bool mdl_searches_by_steps(const struct mdl *m);
/* Do its searches multiply by packed weights?  The host's products with them are faster for few
 * rows, and a row's bits do not depend on those beside it; they leave nothing to the products of
 * libraries. */
bool mdl_searches_pack(const struct mdl *m);

/* `batch` sources of inputs_length ids, and `beam` hypotheses of each, of up to max_length ids;
 * `refill` of them at once may give their places to others (mdl_decoder_refill).  shortlist above
 * 0: hypotheses have up to so many ids to go on with, in place of the vocabulary
 * (mdl_decoder_shortlist). */
struct mdl_search_shape {
    int32_t batch, beam, inputs_length, max_length, refill, shortlist;
};

/* How mdl_decoder_choose chooses among the ids of a step. */
struct mdl_choice {
    int32_t n;  /* candidates of a row, or as many as there are ids; 0: it is not called */
    bool draws; /* one candidate, drawn (struct dev_draw_ids_args), else the best
                   (dev_best_ids_args) */
    double temperature;
    int64_t keep_top_k;
    double keep_top_p;
};

/*
 * A decoder keeps the graphs of the shapes that it has seen, the least recently used of which go
 * when all that it has would be more than the limit (NULL: none).  T2_EUNSUPPORTED: the model
 * cannot be decoded.
 */
T2_MUST_CHECK enum t2_status mdl_decoder_new(struct mdl *m, const struct dev_bytes *limit,
                                             struct mdl_decoder **d, struct t2_err *err);
void mdl_decoder_free(struct mdl_decoder *d);
/* Before the first plan. */
void mdl_decoder_set_choice(struct mdl_decoder *d, const struct mdl_choice *choice);
/* What a search of this shape takes beside the variables: the arena that its graphs are planned
 * for, caches, the graphs.  Nothing of it is allocated but the graphs, which mdl_decoder_begin
 * finds.  Where it is above the limit, *needed may be anything between the two. */
T2_MUST_CHECK enum t2_status mdl_decoder_plan(struct mdl_decoder *d,
                                              const struct mdl_search_shape *shape,
                                              struct dev_bytes *needed, struct t2_err *err);
/* For the next mdl_decoder_begin of a model of speech, or of one that describes images, whose
 * inputs are then NULL: (batch, H, W, C), borrowed until it returns. */
void mdl_decoder_hear(struct mdl_decoder *d, const float *features);
/* Encodes the sources (batch, inputs_length) and starts rows = batch * beam empty hypotheses; row r
 * belongs to source r / beam.  Limit or not.  Of a shape with refill inputs may be NULL: no place
 * has a source before mdl_decoder_refill. */
T2_MUST_CHECK enum t2_status mdl_decoder_begin(struct mdl_decoder *d,
                                               const struct mdl_search_shape *shape,
                                               const int32_t *inputs, struct t2_err *err);
/* Can sources give their places to others? */
bool mdl_decoder_refills(const struct mdl_decoder *d);
/*
 * Between steps: n sources of inputs (shape.refill, inputs_length), zeros behind the n-th, take
 * the places of others, with empty hypotheses, of which the next step reads the zero vector; ids of
 * it are 0.  Each hypothesis has a position of its own from now on, which stands still while it
 * rests.
 */
T2_MUST_CHECK enum t2_status mdl_decoder_refill(struct mdl_decoder *d, int32_t n,
                                                const int32_t *places, const int32_t *inputs,
                                                struct t2_err *err);
/* After mdl_decoder_begin, for each source, of a model with caches: its n ids, 1 to
 * shape.shortlist, ascending, none 0.  Scores are of them alone; mdl_decoder_choose alone may be
 * called then. */
void mdl_decoder_shortlist(struct mdl_decoder *d, int32_t source, const int32_t *ids, int32_t n);
/* Does the model have caches? */
bool mdl_decoder_shortlists(const struct mdl_decoder *d);
/* How many graphs were built so far: none for a shape that comes again. */
int64_t mdl_decoder_n_built(const struct mdl_decoder *d);
/* Feeds the ids of step `step` - 1 (step 0: nothing, the zero vector) and gives logits (rows,
 * mdl_decoder_vocab), borrowed until the next call.  Steps come in order from 0; it is their
 * number, whatever positions hypotheses have. */
T2_MUST_CHECK enum t2_status mdl_decoder_step(struct mdl_decoder *d, int32_t step,
                                              const int32_t *ids, const float **logits,
                                              struct t2_err *err);
/* The same, but the logits stay on the device: best (rows, n of the choice) has the candidates of
 * the rows that are asked for. */
T2_MUST_CHECK enum t2_status mdl_decoder_choose(struct mdl_decoder *d, int32_t step,
                                                const int32_t *ids, const struct dev_ask *asks,
                                                struct dev_candidate *best, struct t2_err *err);
/* The same of n > 0 decoders with models of their own, begun alike, whose devices may differ: of
 * the mean of their logits, which is the mean of their probabilities' logarithms, made to
 * probabilities again.  d[0] chooses; all must have its mdl_decoder_vocab. */
T2_MUST_CHECK enum t2_status mdl_decoder_choose_mean(struct mdl_decoder *const *d, int n,
                                                     int32_t step, const int32_t *ids,
                                                     const struct dev_ask *asks,
                                                     struct dev_candidate *best,
                                                     struct t2_err *err);
/* What that takes beside the plans of the decoders, on the device of d[0], for a search of so many
 * rows of V. */
uint64_t mdl_decoder_mean_bytes(int32_t rows, int32_t V);
/* Columns of the logits since mdl_decoder_begin: those of shape.shortlist, the vocabulary, or more
 * where the table of the softmax has rows that stand for nothing (hparams vocab_divisor,
 * vocab_size). */
int32_t mdl_decoder_vocab(const struct mdl_decoder *d);
/* After a step: hypothesis r continues what hypothesis from[r] was. */
T2_MUST_CHECK enum t2_status mdl_decoder_reorder(struct mdl_decoder *d, const int32_t *from,
                                                 struct t2_err *err);

/* A table of a model's variables, for any kind: scopes, shapes, numbers of values, sums. */
void mdl_put_variables(const struct mdl *m, struct t2_buf *out);

/* Registered model names, sorted. */
size_t mdl_count(void);
const char *mdl_name(size_t i);
/* T2_EUSAGE naming the nearest, and all, unless it is one of them. */
T2_MUST_CHECK enum t2_status mdl_check_name(const char *name, struct t2_err *err);

#endif
