/*
 * train/decode/decode.h - greedy and beam search (tensor2tensor/utils/beam_search.py).
 *
 * Spec t2t-trainer.md §7.1-7.4.  The model is seen only through mdl_decoder_* (models/model.h), or
 * through the same two functions of a test's own.  Text in, text out is in translator.h.
 */
#ifndef DEC_DECODE_H
#define DEC_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "train/decode/draw_id.h"
#include "train/models/model.h"

enum { DEC_EOS = 1 };

/*
 * The rules of the search.  The official Transformer's (spec official-transformer.md §8.5,
 * official/nlp/transformer/beam_search.py) differ from Tensor2Tensor's:
 *   - of a step's continuations the best by log-probability are kept, not by score;
 *   - one beam is searched like several, not greedily;
 *   - it stops when no alive hypothesis of any source can beat the worst of those of its own that
 *     ended, whatever n_best is;
 *   - what is not alive at the start has the log-probability minus infinity.
 */
enum dec_rules { DEC_RULES_T2T, DEC_RULES_OFFICIAL };

struct dec_result;
/* The search's view of a model, which chooses as dec_choice says: see mdl_decoder_choose,
 * mdl_decoder_reorder, and of sources by their numbers mdl_decoder_refill, which is not called
 * where all have a place. */
struct dec_model {
    void *context;
    int32_t vocab; /* at least 2 */
    enum t2_status (*choose)(void *context, int32_t step, const int32_t *ids,
                             const struct dev_ask *asks, struct dev_candidate *best,
                             struct t2_err *err);
    enum t2_status (*reorder)(void *context, const int32_t *from, struct t2_err *err);
    enum t2_status (*refill)(void *context, int32_t n, const int32_t *places,
                             const int32_t *sources, struct t2_err *err);
    /*
     * NULL, or sources come while others are searched: at first no place has one.  Asked before the
     * first step and between two, while `n` > 0 places are free: gives the first *taken of them to
     * further sources, whose lengths, prefix and sentences it sets, and which have the number of
     * their place.  The search ends when it has none and none is left.
     */
    enum t2_status (*more)(void *context, int32_t n, const int32_t *places, int32_t *taken,
                           struct t2_err *err);
    /* The source in this place has ended; its rows of the result are the next one's afterwards. */
    void (*ended)(void *context, int32_t place, const struct dec_result *r);
};

struct dec_options {
    int32_t beam_size;  /* 1 = greedy, by T2T's rules */
    double alpha;       /* length penalty ((5 + n) / 6)^alpha */
    int32_t max_length; /* decode_length: padded source length + extra_length (+ prefix_length) */
    /* More sources than places of them: those that have ended leave theirs to the next ones, as
     * many at once as `refill` says, or all that are left.  0: all sources have one.  Where sources
     * come (dec_model.more), `refill` is the most at once, and there are as many places as
     * sources.  Both need lengths; not with beyond_eos or settle_together. */
    int32_t places, refill;
    /* NULL, or (batch): of each source, at most max_length, and 1 or more */
    const int32_t *lengths;
    int32_t n_best; /* hypotheses returned per source, <= beam_size */
    enum dec_rules rules;
    /* NULL: argmax.  Else, with beam_size 1 by T2T's rules: drawn, by the number of each source. */
    const struct dec_sampling *sampling;
    const uint64_t *sentences; /* (batch) */
    bool beyond_eos; /* results are as long as the search took steps: greedy, what the model says
                        behind EOS; beams, 0 */
    /* Above 0: no hypothesis has the same so many ids twice, prefix aside; in place of ids that
     * would repeat them come the next likely ones, of DEC_SPARE_CANDIDATES.  Not drawn. */
    int32_t no_repeat_ngram;
    bool to_the_end; /* greedy with beyond_eos: max_length steps */
    /* As in the originals, no source rests before all of the batch are settled: its beams, but for
     * the best, may still change, by whom it stands beside.  For comparing with them. */
    bool settle_together;
};

/* What a search with these options asks of a model in every step. */
struct mdl_choice dec_choice(const struct dec_options *options);

/*
 * ids: (batch, n_best, max_length), rows padded with 0 behind the end, EOS included where it came;
 * lengths (batch, n_best) count ids up to and including EOS.  scores (batch, n_best) as T2T returns
 * them: greedy: the log-probability; beam: log-probability / length penalty, best first, but when
 * no hypothesis of a source ended, the raw log-probability of those alive.  With some ended and
 * others not, the missing ones have length 0 and a score of -1e7.
 */
struct dec_result {
    int32_t *ids;
    int32_t *lengths;
    double *scores;
    int32_t steps; /* steps that were run */
};
void dec_result_release(struct dec_result *r);

/* What a search takes for itself, beside the model: about, and not less. */
uint64_t dec_search_bytes(int32_t batch, const struct dec_options *options);

/*
 * The model has been started with places * beam_size rows, of the first sources of the batch; row r
 * belongs to the source in place r / beam_size.
 *
 * prefix (may be NULL): (batch, prefix_length) ids that every hypothesis of a source begins with;
 * they are part of the result, 0 is an id like others, a negative one leaves its place free.  An
 * EOS in it ends nothing (T2T's search would end there).
 *
 * A source rests when its alive hypotheses cannot beat its best finished one (n_best == 1) or the
 * worst of its finished ones (n_best > 1), and the search stops when all do (settle_together: all
 * at once; n_best > 1: when they cannot beat the worst of the whole batch, as T2T's).
 *
 * T2_EFORMAT when the model gives a logit that is not a number; T2_ENOMEM; what choose and reorder
 * return.  *result is owned by the caller (dec_result_release), also on failure.
 */
T2_MUST_CHECK enum t2_status dec_search(const struct dec_model *model, int32_t batch,
                                        const struct dec_options *options, const int32_t *prefix,
                                        int32_t prefix_length, struct dec_result *result,
                                        struct t2_err *err);

#endif
