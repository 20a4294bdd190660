/*
 * datagen/source/parallel_line.h - from a line of a source to the two texts of a pair.
 */
#ifndef DG_SOURCE_PARALLEL_LINE_H
#define DG_SOURCE_PARALLEL_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Without the blanks at both ends, as Python's str.strip(). */
struct t2_slice dg_stripped(struct t2_slice s);

/* What lies in the <seg> of a stripped line of SGML; empty of every other line (T2T's
 * _preprocess_sgm). Entities stay as they are. */
struct t2_slice dg_sgm_text(struct t2_slice line);

/* Column i (from 0) of a line, stripped; false when there are fewer. */
bool dg_tsv_column(struct t2_slice line, int i, struct t2_slice *text);

/* The segment of a line of TMX: blanks, <seg>, text, </seg>, nothing else.  false: it has none. */
bool dg_tmx_segment(struct t2_slice line, struct t2_slice *text);
/* Appends a segment with its entities decoded in the original's order
 * (cleaner_en_xx._raw_sentences):
 * "&amp;amp; quot;" ends as a quote. */
void dg_tmx_decode(struct t2_slice text, struct t2_buf *out);

#endif
