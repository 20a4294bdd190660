/*
 * train/decode/draw_id.h - an id drawn from a row of logits (hparams sampling_*).
 *
 * common_layers.sample_with_temperature; spec t2t-trainer.md §7.3.
 */
#ifndef DEC_DRAW_ID_H
#define DEC_DRAW_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/rng.h"
#include "train/models/hparams.h"

struct dec_sampling {
    bool random;        /* false: argmax; so is a temperature of 0 */
    double temperature; /* hparam sampling_temp */
    int64_t keep_top_k; /* hparam sampling_keep_top_k; -1: all */
    uint64_t seed;
};

/* True if ids are drawn, so that a seed has a meaning; also for hparams that dec_sampling_of
 * refuses. */
bool dec_draws(const struct mdl_hparams *hp);

/* T2_EUSAGE for values that mean nothing, T2_EUNSUPPORTED for
 * sampling_method=random_per_example. */
T2_MUST_CHECK enum t2_status dec_sampling_of(const struct mdl_hparams *hp, uint64_t seed,
                                             struct dec_sampling *s, struct t2_err *err);

/* The stream of a sentence at a position: whatever stands beside it in its batch. */
void dec_sample_stream(struct t2_rng *r, const struct dec_sampling *s, uint64_t sentence,
                       int32_t position);

/* Logits that are not above the (keep_top_k + 1)-th largest become -1e6, so that equals at that
 * place are all left out; then one of softmax(logits / temperature).  *log_prob is that of
 * softmax(logits). false: not finite. */
bool dec_row_sample(const struct dec_sampling *s, const float *logits, int32_t vocab,
                    struct t2_rng *r, int32_t *id, float *log_prob);

#endif
