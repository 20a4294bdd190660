/*
 * train/runs/registry_names.c - names of models, hparams sets, experiments and problems, for
 * --registry_help and completion.
 */
#include "train/runs/registry_names.h"

#include "datagen/problem.h"
#include "train/experiment/experiments.h"
#include "train/models/hparams.h"
#include "train/models/model.h"

void tr_list_models(struct t2_strs *names)
{
    for (size_t i = 0; i < mdl_count(); i++)
        t2_strs_push(names, mdl_name(i));
}

void tr_list_hparams_sets(struct t2_strs *names)
{
    for (size_t i = 0; i < mdl_hparams_count(); i++)
        t2_strs_push(names, mdl_hparams_name(i));
}

void tr_list_experiments(struct t2_strs *names)
{
    for (size_t i = 0; i < exp_count(); i++)
        t2_strs_push(names, exp_at(i)->name);
}

void tr_list_problems(struct t2_strs *names)
{
    dg_names(names);
}
