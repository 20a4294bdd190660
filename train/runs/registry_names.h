/*
 * train/runs/registry_names.h - names of registries, for flags that take one (struct
 * t2_flag_values).
 */
#ifndef TR_REGISTRY_NAMES_H
#define TR_REGISTRY_NAMES_H

#include "base/str.h"

void tr_list_models(struct t2_strs *names);
void tr_list_hparams_sets(struct t2_strs *names);
void tr_list_experiments(struct t2_strs *names);
void tr_list_problems(struct t2_strs *names);

#endif
