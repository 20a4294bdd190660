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
    EV_WORD_ERROR_RATE = 8 /* ids of bytes: 2 + byte */
};

/* NaN where nothing was wanted, or counted. */
struct ev_id_means {
    unsigned wanted;
    double approx_bleu_score;              /* mean over batches: 0..1 */
    double rouge_2_fscore, rouge_L_fscore; /* mean over batches of the mean over rows */
    double edit_distance, word_error_rate; /* edits by the length of all references */
};

struct ev_id_scorer; /* belongs to one thread */

struct ev_id_scorer *ev_id_scorer_new(unsigned wanted);
void ev_id_scorer_free(struct ev_id_scorer *s);
/* predictions and labels (rows, length).  T2_EFORMAT: rows are too long (ev_error_ids). */
T2_MUST_CHECK enum t2_status ev_id_scorer_add(struct ev_id_scorer *s, int32_t rows, int32_t length,
                                              const int32_t *predictions, const int32_t *labels,
                                              struct t2_err *err);
/* Of all batches so far; s NULL: all NaN. */
struct ev_id_means ev_id_scorer_means(const struct ev_id_scorer *s);

#endif
