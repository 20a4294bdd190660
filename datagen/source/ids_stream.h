/*
 * datagen/source/ids_stream.h - text that was tokenized elsewhere: ids, written as numbers.
 */
#ifndef DG_IDS_STREAM_H
#define DG_IDS_STREAM_H

#include "datagen/stream.h"

/*
 * Takes ownership of from.  Texts are numbers from 0 to vocab_size - 1 between blanks and become
 * the ids of the record, followed by EOS (1) unless they end with it already.  T2_EFORMAT names
 * file, line and what is not such a number.
 */
struct dg_stream *dg_ids_stream_new(struct dg_stream *from, bool has_inputs, int64_t vocab_size);

#endif
