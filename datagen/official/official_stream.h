/*
 * datagen/official/official_stream.h - pairs of lines of the official Transformer's sources.
 *
 * Spec official-transformer.md §2.4: all sources of a side one behind the other, both sides in lock
 * step, to the end of the shorter one.
 */
#ifndef DG_OFFICIAL_STREAM_H
#define DG_OFFICIAL_STREAM_H

#include "datagen/stream.h"

/*
 * A source with unequal sides would shift all pairs behind it, as it does in the original:
 * T2_EFORMAT with both names and counts.  In the last source the rest of the longer side is given
 * as samples to be dropped. parts, copied, are pairs of files.
 */
struct dg_stream *dg_official_stream_new(const struct dg_text_parts *parts);

#endif
