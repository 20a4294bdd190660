/*
 * train/ckpt/warm_start.h - variables of another run as initial values (--warm_start_from, spec
 * t2t-trainer.md §9.5).
 */
#ifndef CKPT_WARM_START_H
#define CKPT_WARM_START_H

#include "base/buf.h"
#include "base/err.h"
#include "train/graph/params.h"

/* What was taken. */
struct ckpt_warm_start {
    int n_taken, n_other_shape, n_absent; /* of all but states */
    struct t2_buf
        text; /* a line for each that was not taken, with the reason; owned by the caller */
};

/*
 * `from`: see ckpt_open_named.  Variables that can be trained of the same name and shape get its
 * values; others keep their initial ones and are reported (in the original another shape is an
 * error). T2_ENOTFOUND: there is no checkpoint; T2_EFORMAT: the file is damaged, has a number that
 * is not finite, or has none of the variables.
 */
T2_MUST_CHECK enum t2_status ckpt_warm_start(const char *from, struct gr_params *params,
                                             struct ckpt_warm_start *report, struct t2_err *err);

#endif
