/*
 * datagen/sets/check_origin.h - were the records of all shards made with the vocabulary of the set?
 */
#ifndef DG_CHECK_ORIGIN_H
#define DG_CHECK_ORIGIN_H

#include "base/str.h"
#include "datagen/problem.h"

/*
 * Encodes the texts of the first records of each shard again (tokenizer/reencode.h) and appends an
 * error for each shard whose ids do not come back while those of the others do: records of another
 * vocabulary were put there.  Says nothing of sets where they come back nowhere, nor of
 * vocabularies that give every id back.
 */
T2_MUST_CHECK enum t2_status dg_check_origin(const struct dg_manifest *m, const char *data_dir,
                                             struct t2_strs *errors, struct t2_err *err);

#endif
