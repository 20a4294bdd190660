/*
 * train/models/model_keys.h - a set of another kind of model, refused with what to take instead.
 */
#ifndef MDL_MODEL_KEYS_H
#define MDL_MODEL_KEYS_H

#include "train/models/hparams.h"

/* T2_EUSAGE, and a sentence: the model reads `key`, the set of hp has none; `own_set` is one of the
 * model's, and the model that the set is of is named. */
enum t2_status mdl_fail_key(const char *model, const struct mdl_hparams *hp, const char *key,
                            const char *own_set, struct t2_err *err);

/* The same unless hp has every key that the registered set `own_set` has, with its type. */
T2_MUST_CHECK enum t2_status mdl_check_keys_of(const char *model, const struct mdl_hparams *hp,
                                               const char *own_set, struct t2_err *err);

/* struct mdl_kind.shared_set: adds the keys that hp lacks. */
T2_MUST_CHECK enum t2_status mdl_add_shared_keys(struct mdl_hparams *hp, const char *shared_set,
                                                 struct t2_err *err);

#endif
