/*
 * train/runs/generate_data.h - --generate_data: the data are made before they are trained on.
 */
#ifndef TR_GENERATE_DATA_H
#define TR_GENERATE_DATA_H

#include "base/err.h"

/* NULL: not given.  Borrowed. */
struct tr_generate {
    const char *problem, *data_dir, *tmp_dir, *t2t_usr_dir;
    const char *text; /* a file whose lines become a language model's problem of that name */
    const char *model, *hparams_set; /* looked up first: a wrong word costs no download */
    int num_threads;                 /* 0: not said */
    int n_ranks;                     /* processes that train */
};

/*
 * What t2t-datagen makes of `text`: its lines alone (text2self), packed to rows of
 * TR_TEXT_ROW ids, subwords of at most TR_TEXT_VOCAB; 5 % of the lines, but of a long text no more
 * than about TR_TEXT_DEV bytes, are for evaluation.
 */
enum { TR_TEXT_ROW = 256, TR_TEXT_VOCAB = 8192, TR_TEXT_DEV = 1 << 19 };

/*
 * Runs t2t-datagen, the program beside this one, or else in PATH, for the problem (without _rev and
 * _copy) and waits for it; its output goes to stderr.  A set whose manifest is in data_dir stays as
 * it is, with a line that says so; of a text t2t-datagen itself says so, unless the text is another
 * one now.
 *
 * T2_EUSAGE: a name that is not known, a flag that is missing, several processes; T2_EFORMAT:
 * t2t-datagen failed, and has said why; T2_EINTERRUPTED.
 */
T2_MUST_CHECK enum t2_status tr_generate_data(const struct tr_generate *g, struct t2_err *err);

#endif
