/*
 * datagen/images/check_folder.h - jpeg-to-tfrecord --check: what is in a folder of images.
 */
#ifndef DG_CHECK_FOLDER_H
#define DG_CHECK_FOLDER_H

#include "augment/admit.h"
#include "base/err.h"
#include "base/str.h"
#include "datagen/images/refused_image.h"

struct dg_check_options {
    struct aug_admit_policy policy;
    struct dg_refusals refusals; /* copies go to their paths below the quarantine folder */
    bool json;                   /* a line for each file, and one for all */
    int num_threads;
};

/*
 * Prints the table to stdout.  T2_EOF when files were refused and on_error is fail (already
 * reported). The order and all bytes are the same for any number of threads.
 */
T2_MUST_CHECK enum t2_status dg_check_folder(const char *dir,
                                             const struct dg_check_options *options,
                                             struct t2_err *err);

#endif
