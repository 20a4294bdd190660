/*
 * train/decode/translator_parts.h - what the files of a translator share: its memory
 * (batch_memory.c), texts to ids (source_ids.c), batches (translate_batch.c), its life
 * (translator.c).
 */
#ifndef DEC_TRANSLATOR_PARTS_H
#define DEC_TRANSLATOR_PARTS_H

#include "train/decode/decode.h"
#include "train/decode/model_set.h"
#include "train/decode/translator.h"

struct dec_translator {
    struct dec_parts parts;
    struct tok_cache *cache;
    struct dec_model_set models;
    struct mdl_decoder *decoder; /* the first of them; NULL where the targets are class labels */
    bool has_inputs;
    bool prepends;                   /* hypotheses begin with the source */
    size_t fits_alone;               /* the longest source that is known to fit, in ids */
    struct dev_bytes limit, planned; /* planned: the most so far */
    const struct dev *dev;
    dec_step_fn on_step;
    void *on_step_context;
    bool refills;          /* dec_translator_refill */
    int32_t max_steps;     /* of the search that runs */
    int32_t *padded;       /* its sources (n, width) */
    int32_t columns;       /* with a map, of logits of the batch in hand; 0: none is */
    int32_t width, room;   /* room: sources that are encoded at once when places are filled again */
    struct dec_flow *flow; /* of the stream that runs (translate_batch.c) */
    struct dec_sampling sampling;
    uint64_t repetition; /* of the same sources */
};

/* ---- batch_memory.c ---- */

/* How many ids every hypothesis of a source of n ids begins with. */
size_t dec_n_forced(const struct dec_translator *t, size_t n);
/* Ids that a hypothesis of a source of n ids may have. */
size_t dec_longest_of(const struct dec_translator *t, size_t n);
/* Of n places, how many are filled again at once; 0: they are not. */
int32_t dec_refill_of(const struct dec_translator *t, int32_t n);
/* With a map, how many columns logits of up to n symbols have. */
int32_t dec_columns_of(const struct dec_translator *t, size_t n);
/* Of n sources, the longest of n_ids ids.  false: no plan can be of so much. */
bool dec_shape_of(const struct dec_translator *t, int32_t n, size_t n_ids,
                  struct mdl_search_shape *shape);
/* Of a search, but for its length. */
struct dec_options dec_options_of(const struct dec_translator *t);
/* What a batch of n sources, the longest of n_ids ids, takes. */
T2_MUST_CHECK enum t2_status dec_plan_batch(struct dec_translator *t, int32_t n, size_t n_ids,
                                            struct dev_bytes *needed, struct t2_err *err);
void dec_note_planned(struct dec_translator *t, const struct dev_bytes *needed);
/* The longest source, of up to n_ids ids, of which one fits; at least 2. */
T2_MUST_CHECK enum t2_status dec_longest_that_fits(struct dec_translator *t, size_t n_ids,
                                                   size_t *longest, struct t2_err *err);

#endif
