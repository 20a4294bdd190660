/*
 * datagen/source/sentence_cleaner.h - pairs of sentences without noise (T2T's cleaner_en_xx.py,
 * spec t2t-datagen.md §5.7): English with any language that ends sentences by . ? ! and begins them
 * by A-Z.
 *
 * The original stops at the first pair that splits into several sentences (Python 3 has no izip);
 * here such a pair gives its sentences, as it was meant.
 */
#ifndef DG_SOURCE_SENTENCE_CLEANER_H
#define DG_SOURCE_SENTENCE_CLEANER_H

#include <stdbool.h>

#include "base/buf.h"

/* Why an English sentence is refused (static text); NULL: it is a good one. */
const char *dg_sentence_fault(struct t2_slice english);

/*
 * Calls emit for every pair of sentences that is good.  Returns NULL, or why the pair as a whole
 * gave nothing.  Texts are valid UTF-8; those given to emit are valid during that call.
 */
typedef void (*dg_emit_pair)(void *context, struct t2_slice english, struct t2_slice other);
const char *dg_clean_pair(struct t2_slice english, struct t2_slice other, dg_emit_pair emit,
                          void *context);

#endif
