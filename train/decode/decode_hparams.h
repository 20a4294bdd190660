/*
 * train/decode/decode_hparams.h - the values of --decode_hparams (spec t2t-trainer.md §7.5).
 */
#ifndef DEC_DECODE_HPARAMS_H
#define DEC_DECODE_HPARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct dec_hparams {
    int64_t beam_size;      /* 4; 1 = greedy */
    double alpha;           /* 0.6 */
    int64_t extra_length;   /* ids more than the longest source of the batch may come; -1 = 100, of
                             * the official Transformer 50 */
    int64_t batch_size;     /* 0 = 32 for files */
    int64_t max_input_size; /* -1 = no limit; N keeps N - 1 ids and EOS */
    bool return_beams;      /* all hypotheses, joined by TAB */
    bool write_beam_scores; /* each followed by TAB and its score */
    bool identity_output;   /* ids instead of text */
    int64_t shards, shard_id, shards_start_offset;
    bool shard_google_format;
    uint64_t set; /* a bit for each key with another value than its default */
};

/* The kind of data that is decoded. */
enum dec_use { DEC_USE_FILE, DEC_USE_TYPED, DEC_USE_IMAGES };

/*
 * Defaults, then "beam_size=4,alpha=0.6" over them.
 *
 * T2_EUSAGE: unknown key (with the nearest one), a key given twice, a value of another type or out
 * of range.  T2_EUNSUPPORTED: a key of the original that would change the result and cannot be
 * served, with another value than its default.
 */
T2_MUST_CHECK enum t2_status dec_hparams_parse(const char *clauses, struct dec_hparams *hp,
                                               struct t2_err *err);

/* Warns of each key that was set and that this use does not read: a batch of what is typed, the
 * length penalty of a greedy search. */
void dec_hparams_name_unread(const struct dec_hparams *hp, enum dec_use use);

#endif
