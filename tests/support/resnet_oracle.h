/*
 * tests/support/resnet_oracle.h - a recorded case of oracles/official_cnn against our model.
 *
 * Names, training logits, loss with L2, gradients, three updates with their rates, moving averages,
 * evaluation.  Values, pixels and labels are made by a formula (README of the oracles); of large
 * tensors only a summary is recorded: norm, sum, three elements.
 */
#ifndef T2_TESTS_SUPPORT_RESNET_ORACLE_H
#define T2_TESTS_SUPPORT_RESNET_ORACLE_H

#include "tests/support/cnn_oracle.h"

/* A case.  How near ours must be to it is the same for all: resnet_oracle.c. */
struct resnet_row {
    const char *name, *device, *set;
    bool full; /* in full width, where a search for the side of a ReLU would take too long */
};

void resnet_check_case(const struct resnet_row *row);

#endif
