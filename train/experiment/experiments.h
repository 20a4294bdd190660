/*
 * train/experiment/experiments.h - the experiments by name, with their own defaults.
 *
 * official/core/exp_factory.py; spec formats-and-experiments.md D4, D5.
 */
#ifndef EXP_EXPERIMENTS_H
#define EXP_EXPERIMENTS_H

#include <stddef.h>

#include "base/err.h"
#include "train/experiment/config.h"

/* EXP_TPU_RESNET: no task and trainer, but the flat configuration of resnet_main.py. */
enum exp_task {
    EXP_IMAGE_CLASSIFICATION,
    EXP_TRANSLATION,
    EXP_TPU_RESNET,
    EXP_SENTENCES,
    EXP_MASKED,
    EXP_ANSWERS
};

struct exp_experiment {
    const char *name;
    enum exp_task task;
    const char *defaults; /* YAML, over those of the fields */
    const char *summary;
};

size_t exp_count(void);
const struct exp_experiment *exp_at(size_t i);

/* T2_EUSAGE when there is none of that name; T2_EUNSUPPORTED for those of the original only. */
T2_MUST_CHECK enum t2_status exp_find(const char *name, const struct exp_experiment **e,
                                      struct t2_err *err);
/* The experiment's configuration, settled. */
T2_MUST_CHECK enum t2_status exp_new(const struct exp_experiment *e, struct exp_config **c,
                                     struct t2_err *err);

#endif
