/*
 * train/runs/own_set.h - hparams sets of users: a YAML file with a registered set and what differs.
 *
 *     base: flowers_cnn                    # a registered set, or another such file beside this one
 *     hparams: {batch_size: 32, filter_sizes: [16, 32]}
 *     ranges:                              # for --hparams_range (tune/hparam_range.h)
 *       learning_rate_constant: {float: [0.001, 0.01], scale: log}
 *
 * A run has the registered set's name and the differences as if --hparams had said them, so that
 * its folder does not need the file.
 */
#ifndef TR_OWN_SET_H
#define TR_OWN_SET_H

#include "base/err.h"
#include "base/str.h"

struct tr_own_set {
    char *base;    /* a registered set; NULL: what was named is no file */
    char *hparams; /* the file's and those that were given, which go before them; "" for none */
};

/*
 * Reads the set `name`: a path that ends in .yaml, or with usr_dir (may be NULL) the file
 * <usr_dir>/<name>.hparams.yaml, if it is there.  `given` is the value of --hparams, or NULL.  With
 * `searched`, hparams that the file has ranges for are left out: a search sets them.  T2_EFORMAT
 * names file and line.  *set is to be released, also where it names no file.
 */
T2_MUST_CHECK enum t2_status tr_own_set_read(const char *name, const char *usr_dir,
                                             const char *given, bool searched,
                                             struct tr_own_set *set, struct t2_err *err);
void tr_own_set_release(struct tr_own_set *set);

/* Appends the names of the sets in a folder. */
T2_MUST_CHECK enum t2_status tr_list_own_sets(const char *usr_dir, struct t2_strs *names,
                                              struct t2_err *err);

#endif
