/*
 * train/eval/report.h - what a run says of itself: lines for people, metrics.jsonl for programs.
 *
 * One JSON object per line, snake_case keys, `kind` is "train" or "eval".  A line belongs to the
 * step it names: N is the number of updates done, and the training loss at N is that of the batch
 * that gave update N, before the update (as TensorFlow's "loss = X, step = N").
 */
#ifndef EV_REPORT_H
#define EV_REPORT_H

#include <stdint.h>

#include "base/err.h"
#include "train/eval/id_scores.h"
#include "train/eval/text_counts.h"
#include "train/eval/value_scores.h"
#include "train/models/model.h"

/* ---- training ---- */

struct ev_train_line {
    int64_t step, train_steps;
    double loss;      /* of this step's batch, weight decay included */
    double loss_mean; /* over the n_steps since the last line */
    int64_t n_steps;
    double learning_rate;       /* of this step's update */
    double gradient_norm;       /* of this step, before clipping */
    double weight_decay_loss;   /* the part of loss that is weight decay */
    double target_tokens;       /* non-padding, in n_steps */
    double target_tokens_per_s; /* without time for saving and evaluating */
    double steps_per_s;         /* likewise; for people only */
    double stall;               /* of the training time that went by waiting for data, 0..1 */
    double save_s, eval_s;      /* since the last line, besides the training time */
    uint64_t samples;           /* consumed since the beginning of the run */
    double epoch;               /* samples / samples of an epoch */
    double wall_s;              /* training time of the run, all starts together */
    uint64_t memory;            /* bytes that the process took at most until now */
    double eta_s;               /* until train_steps */
    bool images;                /* tokens are images; for people only */
    bool pixels;                /* images are made: bits_per_dim is said */
    double bits_per_dim;        /* of loss_mean: a value of a pixel, without weight decay */
};

/* ---- evaluation ---- */

/* Sums over batches; zero-initialise. */
struct ev_sums {
    double batch_losses, tokens, correct, top5, log_prob, sequences_correct;
    double masked_tokens, masked_log_prob; /* of batches with targets_mask */
    uint64_t n_batches, n_sequences;
    struct ev_text_counts text; /* of all targets, of a language model; set by the caller */
};
void ev_sums_add(struct ev_sums *s, const struct mdl_loss *loss, const struct mdl_batch *batch);

/* T2T's metrics (spec t2t-trainer.md §8.1, §9.6). */
struct ev_scores {
    double loss; /* mean over batches of the mean per token that counts: T2T's "loss" */
    double accuracy, accuracy_top5, accuracy_per_sequence,
        neg_log_perplexity;           /* over tokens, over sequences */
    double masked_neg_log_perplexity; /* over the tokens that targets_mask names */
    uint64_t n_batches, n_sequences;
    double n_tokens;
    struct ev_id_means ids;       /* of problems that evaluate them */
    struct ev_value_means values; /* of targets that are no ids; accuracy is then of whole sets */
    /* Of language models (text.bytes is 0 of others): exp of the loss per id, word and byte. */
    double perplexity, word_perplexity, byte_perplexity, bits_per_byte;
    struct ev_text_counts text;
};
/* NaN where nothing was counted. */
struct ev_scores ev_sums_scores(const struct ev_sums *s);

/* Score i of scores.ids or scores.values: its name, as the original's, or NULL behind the last one
 * that was evaluated. */
const char *ev_more_score(const struct ev_scores *s, int i, double *value);

/* The keys of metrics.jsonl that hold them, NULL at the end: what a search may look for. */
extern const char *const ev_score_names[];

struct ev_eval_line {
    int64_t step;
    const char *split; /* "dev" */
    struct ev_scores scores;
    double seconds;
    bool images;
    bool pixels; /* images are made: bits a value of a pixel are said */
};

/* Nats as bits. */
double ev_bits(double nats);

/* ---- where lines go ---- */

struct ev_report;

/* Gets every line of JSON, without its end; NULL for none. */
typedef void (*ev_emit_fn)(void *context, const char *line);

/*
 * Opens <output_dir>/metrics.jsonl for the lines of a run that continues at `step`: lines of later
 * steps, which an interrupted run wrote after its last checkpoint, are removed, and so is a last
 * line that is cut short.
 */
T2_MUST_CHECK enum t2_status ev_report_open(const char *output_dir, int64_t step, ev_emit_fn emit,
                                            void *context, struct ev_report **r,
                                            struct t2_err *err);
void ev_report_close(struct ev_report *r);
/* The step of the last evaluation in the file; -1: there is none. */
int64_t ev_report_last_eval(const struct ev_report *r);

/* One line to the log, one to metrics.jsonl, one to emit.  T2_EIO: the line was not written
 * whole. */
T2_MUST_CHECK enum t2_status ev_report_train(struct ev_report *r, const struct ev_train_line *line,
                                             struct t2_err *err);
/* The line to the log alone: the first of a run, which comes by the clock, so that no file depends
 * on it. */
void ev_report_first(const struct ev_train_line *line);
/* The text that a terminal shows between the lines. */
const char *ev_report_live(const struct ev_train_line *line, char *out, size_t out_bytes);
/* A line of kind "sample": a source, its reference, and what the model says at this step. */
T2_MUST_CHECK enum t2_status ev_report_sample(struct ev_report *r, int64_t step, const char *source,
                                              const char *target, const char *output,
                                              struct t2_err *err);
T2_MUST_CHECK enum t2_status ev_report_eval(struct ev_report *r, const struct ev_eval_line *line,
                                            struct t2_err *err);

#endif
