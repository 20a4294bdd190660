/*
 * datagen/source/clean_stream.h - pairs cleaned as T2T's *_clean problems do it
 * (sentence_cleaner.h).
 */
#ifndef DG_CLEAN_STREAM_H
#define DG_CLEAN_STREAM_H

#include "datagen/stream.h"

/*
 * Takes ownership of from.  english is the side that is English.  A pair that is refused is dropped
 * with its reason; one of several sentences gives those of them that are good, a sample each.  What
 * is not UTF-8 is handed on for sample_batch.h to refuse.
 */
struct dg_stream *dg_clean_stream_new(struct dg_stream *from, enum dg_side_index english);

#endif
