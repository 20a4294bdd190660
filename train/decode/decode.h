/*
 * train/decode/decode.h - greedy and beam search (tensor2tensor/utils/beam_search.py).
 *
 * Spec t2t-trainer.md §7.1-7.4.  The model is seen only through mdl_decoder_* (models/model.h), or
 * through the same three functions of a test's own.
 */
#ifndef DEC_DECODE_H
#define DEC_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* What the search needs of a model: see mdl_decoder_step, mdl_decoder_reorder. */
struct dec_model {
    void *context;
    int32_t vocab;
    enum t2_status (*step)(void *context, int32_t step, const int32_t *ids, const float **logits,
                           struct t2_err *err);
    enum t2_status (*reorder)(void *context, const int32_t *from, struct t2_err *err);
};

struct dec_options {
    int32_t beam_size;    /* 1 = greedy */
    double alpha;         /* length penalty ((5 + n) / 6)^alpha */
    int32_t max_length;   /* decode_length: padded source length + extra_length */
    int32_t n_best;       /* hypotheses returned per source, <= beam_size */
};

/* ids: (batch, n_best, max_length), rows padded with 0 behind the end, EOS included where it came;
 * lengths (batch, n_best) count ids up to and including EOS; scores (batch, n_best) as T2T returns
 * them. */
struct dec_result {
    int32_t *ids;
    int32_t *lengths;
    double *scores;
    int32_t steps;        /* steps that were run */
};
void dec_result_release(struct dec_result *r);

/* The model has been started with batch * beam_size rows.  prefix (may be NULL): (batch,
 * prefix_length) forced first ids, 0 = free. */
T2_MUST_CHECK enum t2_status dec_search(const struct dec_model *model, int32_t batch,
                                        const struct dec_options *options, const int32_t *prefix,
                                        int32_t prefix_length, struct dec_result *result,
                                        struct t2_err *err);

#endif
