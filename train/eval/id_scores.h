/*
 * train/eval/id_scores.h - what Tensor2Tensor says of predicted ids at evaluation, beside accuracy:
 * utils/metrics.py, rouge.py and bleu_hook.py (spec t2t-trainer.md §8.1).
 *
 * Rows of ids are compared as they are, padding and what stands behind the end included.  Only the
 * error rates know padding: ids 0 are left out there.
 */
#ifndef EV_ID_SCORES_H
#define EV_ID_SCORES_H

#include <stdint.h>

#include "base/err.h"

/* What is wanted, as bits. */
enum {
    EV_APPROX_BLEU = 1,
    EV_ROUGE_IDS = 2,
    EV_EDIT_DISTANCE = 4,
    EV_WORD_ERROR_RATE = 8,     /* ids of bytes: 2 + byte */
    EV_APPROX_SARI = 16,        /* the inputs are wanted, too */
    EV_IMAGE_RMSE = 32,         /* ids are values of pixels */
    EV_DMOL_PERPLEXITY = 64,    /* of pixels as mixtures, whose predictions are no ids: the scorer
                                 * leaves it to its caller, who has it as neg_log_perplexity */
    EV_SACREBLEU = 128,         /* of whole translations; the caller's, too */
    EV_MASKED_PERPLEXITY = 256, /* of the targets that targets_mask names; likewise */
    EV_OF_CALLER = EV_DMOL_PERPLEXITY | EV_SACREBLEU | EV_MASKED_PERPLEXITY
};

/* NaN where nothing was wanted, or counted. */
struct ev_id_means {
    unsigned wanted;
    double approx_bleu_score;              /* mean over batches: 0..1 */
    double rouge_2_fscore, rouge_L_fscore; /* mean over batches of the mean over rows */
    double edit_distance, word_error_rate; /* edits by the length of all references */
    double approx_sari_score;              /* mean over rows: 0..1 */
    double image_rmse; /* mean over batches of the root of the mean square, by their ids */
    double disc_mol_neg_log_perplexity; /* nats a value of a pixel */
    double sacrebleu_score;             /* 0..100 */
    double masked_neg_log_perplexity;   /* nats a target that counts */
};

struct ev_id_scorer; /* belongs to one thread */

/* The bit of a name of utils/metrics.py, 0 of any other. */
unsigned ev_id_score_bit(const char *name);
struct ev_id_scorer *ev_id_scorer_new(unsigned wanted);
void ev_id_scorer_free(struct ev_id_scorer *s);
struct ev_id_rows {
    int32_t rows, length, inputs_length;
    const int32_t *predictions, *labels; /* (rows, length) */
    const int32_t *inputs;               /* (rows, inputs_length); NULL: without EV_APPROX_SARI */
};
/* A batch.  T2_EFORMAT: rows are too long (ev_error_ids). */
T2_MUST_CHECK enum t2_status ev_id_scorer_add(struct ev_id_scorer *s, const struct ev_id_rows *ids,
                                              struct t2_err *err);
/* Of all batches so far; s NULL: all NaN. */
struct ev_id_means ev_id_scorer_means(const struct ev_id_scorer *s);

/* Score i, from 0 on: its name, or NULL behind the last one that was wanted. */
const char *ev_id_score(const struct ev_id_means *m, int i, double *value);

#endif
