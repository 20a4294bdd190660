/*
 * datagen/sets/data_card.h - what a data set is, for people: t2t-datagen --info.
 */
#ifndef DG_DATA_CARD_H
#define DG_DATA_CARD_H

#include "base/buf.h"
#include "base/pool.h"
#include "datagen/problem.h"

/*
 * Appends the data card of a problem in data_dir: Markdown, or one JSON object.  Counts and
 * percentiles are of the records, which are all read; sources, drops and the rest are what the
 * manifest tells.  T2_ENOTFOUND without a manifest; T2_EFORMAT when the shards are not what it
 * says.
 */
T2_MUST_CHECK enum t2_status dg_data_card(const char *name, const char *data_dir, bool json,
                                          struct t2_pool *pool, struct t2_buf *out,
                                          struct t2_err *err);

#endif
