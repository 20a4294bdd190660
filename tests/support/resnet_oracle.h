/*
 * tests/support/resnet_oracle.h - a recorded case of oracles/official_cnn against our model.
 *
 * Names, training logits, loss with L2, gradients, three updates with their rates, moving averages,
 * evaluation.  Values, pixels and labels are made by a formula (README of the oracles); of large tensors
 * only a summary is recorded: norm, sum, three elements.
 */
#ifndef T2_TESTS_SUPPORT_RESNET_ORACLE_H
#define T2_TESTS_SUPPORT_RESNET_ORACLE_H

#include "tests/support/cnn_oracle.h"

/* norm: relative; elements: of the variable's root mean square. */
struct resnet_summary_tolerance {
    double norm, element;
};

/* A case and how near ours must be. */
struct resnet_row {
    const char *name, *device, *set;
    bool full;
    double logits;
    struct cnn_tolerance gradients;
    struct resnet_summary_tolerance gradient, variable;
    double losses;             /* of later steps */
    struct cnn_tolerance step; /* recorded tensors after three steps */
    double eval;
    /* An initial value that is multiplied by 1 + by, so that a ReLU near 0 falls on the original's side: */
    const char *moved;
    int64_t element;
    double by;
};

void resnet_check_case(const struct resnet_row *row);

#endif
