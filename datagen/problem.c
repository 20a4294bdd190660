/*
 * datagen/problem.c - names of the parts of a problem.
 */
#include "datagen/problem.h"

const char *dg_split_name(enum dg_split split)
{
    static const char *const names[DG_N_SPLITS] = {"train", "dev", "test"};

    return names[split];
}

const char *dg_vocab_kind_name(enum dg_vocab_kind kind)
{
    static const char *const names[DG_N_VOCAB_KINDS] = {
        "subwords", "tokens", "bytes", "model", "classes", "numbers", "reals", "label_sets",
    };

    return names[kind];
}

const char *dg_problem_stem(const struct dg_problem *p)
{
    return p->dataset_filename ? p->dataset_filename : p->name;
}
