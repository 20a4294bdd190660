/*
 * train/device/plain/plain_kernels.h - the plain kernels that have a file of their own; plain.c has the
 * table and the rest.
 */
#ifndef DEV_PLAIN_KERNELS_H
#define DEV_PLAIN_KERNELS_H

#include "train/device/kernels.h"

void dev_plain_attention(struct dev *d, const struct dev_attention *a, float *scratch);
void dev_plain_attention_bwd(struct dev *d, const struct dev_attention *a,
                             const struct dev_attention_grads *g, float *scratch);
int64_t dev_plain_attention_scratch(const struct dev *d, const struct dev_attention *a,
                                    bool backward);

#endif
