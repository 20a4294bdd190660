/*
 * train/ckpt/checkpoint_check.h - whether a file of tensors is what a model or optimizer needs:
 * names, shapes, finite numbers; for checkpoint*.c.
 */
#ifndef CKPT_CHECKPOINT_CHECK_H
#define CKPT_CHECKPOINT_CHECK_H

#include <stdbool.h>

#include "train/ckpt/safetensors.h"
#include "train/graph/params.h"
#include "train/optim/optimizer.h"

/* Name and shape of a variable or slot, which the tensor of the file must have. */
struct ckpt_wanted {
    const char *name;
    int rank;
    const int64_t *dims;
};

/* All are T2_EFORMAT where it is not so; path is the file's, for messages.  t may be NULL: it is
 * missing. */
T2_MUST_CHECK enum t2_status ckpt_check_tensor(const char *path, const struct ckpt_tensor *t,
                                               const struct ckpt_wanted *w, struct t2_err *err);
/* Of a tensor that is there: n numbers are finite, the first n_unsigned, or all of a variance, not
 * negative. */
T2_MUST_CHECK enum t2_status ckpt_check_values(const char *path, const struct ckpt_file *f,
                                               const char *name, int64_t n, int64_t n_unsigned,
                                               struct t2_err *err);
/* All variables and nothing else; a bundle may also have what training keeps beside them. */
T2_MUST_CHECK enum t2_status ckpt_check_model(const char *path, const struct ckpt_file *f,
                                              const struct gr_params *params, bool is_bundle,
                                              struct t2_err *err);
/* Likewise all slots. */
T2_MUST_CHECK enum t2_status ckpt_check_optimizer(const char *path, const struct ckpt_file *f,
                                                  const struct opt_optimizer *opt, bool is_bundle,
                                                  struct t2_err *err);

#endif
