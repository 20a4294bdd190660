/*
 * augment/rand_pipeline.h - a pipeline with other numbers for its RandAugment.
 */
#ifndef AUG_RAND_PIPELINE_H
#define AUG_RAND_PIPELINE_H

#include "augment/pipelines.h"

/* RandAugment's. */
struct aug_rand_numbers {
    int n_layers;    /* 1 ... AUG_MAX_AUGMENTS; 0: what the pipeline of the table has */
    float magnitude; /* 0 ... 10; below 0: what the pipeline of the table has */
};

/*
 * The pipeline `p`, whose rest has a RandAugment (assertion: aug_has_randaugment), with these
 * numbers.  It lives as long as the process, as those of the table do: equal calls, from any
 * thread, give the same one.
 */
const struct aug_pipeline *aug_pipeline_with_numbers(const struct aug_pipeline *p,
                                                     const struct aug_rand_numbers *numbers);
bool aug_has_randaugment(const struct aug_pipeline *p);

#endif
