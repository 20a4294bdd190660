/*
 * train/experiment/params_override.h - the text of --params_override.
 *
 * official/modeling/hyperparams/params_dict.py, override_params_dict and
 * nested_csv_str_to_json_str; spec formats-and-experiments.md D2.
 */
#ifndef EXP_PARAMS_OVERRIDE_H
#define EXP_PARAMS_OVERRIDE_H

#include "base/err.h"
#include "train/experiment/config.h"

/*
 * Sets what the text says: "a.b=1,c.d='x',e=[1, 2]"; or YAML, "{a: {b: 1}}"; or, when that is one
 * word, the YAML file of that name.  What is tried in this order.  T2_EUSAGE for a text that is
 * none of them and as exp_config_merge, T2_EFORMAT for a file that is no YAML.
 */
T2_MUST_CHECK enum t2_status exp_override(struct exp_config *c, const char *text,
                                          struct t2_err *err);
/* A --config_file.  T2_ENOTFOUND, T2_EFORMAT. */
T2_MUST_CHECK enum t2_status exp_override_file(struct exp_config *c, const char *path,
                                               struct t2_err *err);

#endif
