/*
 * train/decode/repeated_ngrams.h - ids that would repeat an n-gram of a hypothesis, which a search
 * may leave out (Paulus et al. 2017; no_repeat_ngram_size of fairseq and transformers).
 */
#ifndef DEC_REPEATED_NGRAMS_H
#define DEC_REPEATED_NGRAMS_H

#include <stdbool.h>
#include <stdint.h>

/* So many more candidates of a hypothesis are asked for, in place of those that are left out. */
enum { DEC_SPARE_CANDIDATES = 128 };

/* True if ids[0..n) and `id` behind them end in `size` ids that stand in them already, one behind
 * the other.  size 0: never. */
bool dec_repeats_ngram(const int32_t *ids, int32_t n, int32_t id, int32_t size);

#endif
