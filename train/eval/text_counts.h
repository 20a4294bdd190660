/*
 * train/eval/text_counts.h - how much text the targets of batches are: words and bytes, by which
 * the perplexity of a language model can be compared with that of other vocabularies.
 */
#ifndef EV_TEXT_COUNTS_H
#define EV_TEXT_COUNTS_H

#include <stdint.h>

#include "tokenizer/encoder.h"
#include "train/models/model.h"

/* The end of a text (EOS) is a word and a byte, as the line feed behind it in a file; words are
 * what stands between blanks.  Zero-initialise. */
struct ev_text_counts {
    uint64_t words, bytes;
};

/* What chunks of a text have brought so far, by row.  Zero-initialise but for e, which is borrowed.
 */
struct ev_text_counter {
    const struct tok_encoder *e;
    struct tok_ids *rows;
    int32_t n_rows, capacity;
    struct ev_text_counts counts; /* of what is complete */
};

/*
 * Adds the targets of a batch's rows.  Each run of ids up to EOS, padding or, of packed rows, the
 * next segment is decoded by itself, so that the counts depend neither on the batch's size nor on
 * who shares a row.  A batch with chunk above 0 goes on with the rows of the batch before it.
 */
void ev_text_counter_add(struct ev_text_counter *c, const struct mdl_batch *batch);
/* All there was; the counter is empty afterwards. */
struct ev_text_counts ev_text_counter_take(struct ev_text_counter *c);

#endif
