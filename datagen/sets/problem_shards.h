/*
 * datagen/sets/problem_shards.h - what a data set is that another program made and no manifest
 * describes: told from its shards and the vocabulary files beside them.
 *
 * Tensor2Tensor knows a user's own problem from its Python class alone; what it leaves in data_dir
 * are
 * "<name>-train-00000-of-00010", "<name>-dev-...", "<name>-test-..." and "vocab.*".
 */
#ifndef DG_PROBLEM_SHARDS_H
#define DG_PROBLEM_SHARDS_H

#include "datagen/problem.h"

/*
 * Fills v, whose base_name is set, from the features of the records, and v->assumed with what was
 * taken for granted.  With v->manifest (is_foreign) features and counts are the manifest's, else
 * all shards are read.
 *
 *   image/encoded, image/class/label      images of classes
 *   one int64 in each record's targets    classes; label stands for targets where there are none
 *   inputs, targets (int64)               text to text
 *   targets (int64)                       language model
 *
 * The vocabulary of a text is the vocab.* file that is named after the data set, or the only one
 * there; of two, the ends of their names tell the sides (.source .target, .inputs .targets, or
 * languages in the order in which the name of the data set has them).  Without a file ids up to 257
 * are bytes.
 *
 * T2_ENOTFOUND: there are no such shards, and v is as before.  T2_EFORMAT, T2_EUSAGE: there are,
 * but what they are cannot be told; the message says what would tell it.
 */
T2_MUST_CHECK enum t2_status dg_view_from_shards(struct dg_view *v, const char *data_dir,
                                                 struct t2_err *err);

/* Is the first record of such shards one of Model Garden's for BERT?  No problem that is registered
 * has these features, so that their name is not what decides. */
bool dg_shards_are_sentences(const char *data_dir, const char *stem);

#endif
