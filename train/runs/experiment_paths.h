/*
 * train/runs/experiment_paths.h - input_path of an experiment: which problem in which folder.
 */
#ifndef TR_EXPERIMENT_PATHS_H
#define TR_EXPERIMENT_PATHS_H

#include <stdbool.h>

#include "base/err.h"
#include "train/experiment/config.h"

/*
 * Problem and folder out of task.train_data.input_path, and of validation_data's when needs_eval:
 * "DIR/PROBLEM-train*", or "DIR/train*" of jpeg-to-tfrecord (problem "pictures"); a list, or
 * patterns with commas between them, must mean one split of one data set.  Both are NULL when the
 * paths are empty. *use_test: validation is of the test shards.  T2_EUSAGE: input_path and
 * tfds_name both given, paths of several data sets, of the wrong split, or that name no split;
 * T2_ENOTFOUND: a pattern with '*' or '?' that matches nothing.  Owned by the caller.
 */
T2_MUST_CHECK enum t2_status tr_experiment_paths(const struct exp_config *c, bool needs_train,
                                                 bool needs_eval, char **problem, char **data_dir,
                                                 bool *use_test, struct t2_err *err);

#endif
