/*
 * train/trained/ensemble.h - t2t-decoder --ensemble: the other models that translate together with
 * the first one.
 */
#ifndef TR_ENSEMBLE_H
#define TR_ENSEMBLE_H

#include "train/trained/trained.h"

struct tr_ensemble {
    struct tr_trained *trained; /* (n) */
    struct mdl **models;        /* (n): theirs */
    int n;
};

/*
 * Opens what a list with commas names: of a run's checkpoints steps, folders and files as
 * --checkpoint_path takes them, of a model that stands alone others of these.  They are opened as
 * `opened` says, which was `first`.  T2_EUSAGE: one was trained on another problem or with another
 * vocabulary.  *e is owned by the caller, also on failure.
 */
T2_MUST_CHECK enum t2_status tr_ensemble_open(const struct tr_trained_options *opened,
                                              const char *list, const struct tr_trained *first,
                                              struct tr_ensemble *e, struct t2_err *err);
void tr_ensemble_close(struct tr_ensemble *e);

#endif
