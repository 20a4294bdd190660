/*
 * datagen/images/check_folder.h - jpeg-to-tfrecord --check: what is in a folder of pictures.
 */
#ifndef DG_CHECK_FOLDER_H
#define DG_CHECK_FOLDER_H

#include "augment/admit.h"
#include "base/err.h"
#include "base/str.h"

enum dg_on_error { DG_ON_ERROR_FAIL, DG_ON_ERROR_SKIP, DG_ON_ERROR_QUARANTINE };

struct dg_check_options {
    struct aug_admit_policy policy;
    enum dg_on_error on_error;
    const char *quarantine_dir; /* copies of what is refused; NULL without quarantine */
    bool json;                  /* a line for each file, and one for all */
    int num_threads;
};

bool dg_parse_on_error(const char *name, enum dg_on_error *on_error);

/*
 * Prints the table to stdout.  T2_EOF when files were refused and on_error is fail (already told).  The
 * order and all bytes are the same for any number of threads.
 */
T2_MUST_CHECK enum t2_status dg_check_folder(const char *dir,
                                             const struct dg_check_options *options,
                                             struct t2_err *err);

#endif
