/*
 * train/runs/run_tasks.h - several problems in one run: --problem=primary+second+third.
 *
 * As T2T's MultiProblem: the vocabulary is the primary problem's, behind which every problem has an
 * id that marks its samples, and behind these are the labels of problems of classes.  A primary
 * problem without inputs makes a language model of them all; where it has inputs the others have,
 * too, and the id stands at the end of the inputs in place of EOS.
 */
#ifndef TR_RUN_TASKS_H
#define TR_RUN_TASKS_H

#include "base/err.h"
#include "train/input/input.h"
#include "train/runs/data_set.h"

/* The primary problem of a name of several; NULL: it names one.  Owned by the caller. */
char *tr_tasks_primary(const char *problem);

/* Which of the problems that `problem` names is `one`, from 0; -1: none, or it names one. */
int tr_tasks_index(const char *problem, const char *one);

/*
 * Opens the others of `problem` into d, whose primary problem is open, and makes its name, hashes
 * and sizes those of all of them.  T2_EUSAGE: problems that do not go together, as images do not,
 * or texts of other vocabularies than the primary one's.
 */
T2_MUST_CHECK enum t2_status tr_tasks_open(const char *problem, const char *data_dir,
                                           struct tr_data_set *d, struct t2_err *err);
void tr_tasks_release(struct tr_data_set *d);

/* hparam multiproblem_vocab_size, which makes room for more.  Nothing happens to one problem.
 * multiproblem_reweight_label_loss becomes the problem's task weights.  T2_EUSAGE: a set without
 * these hparams, or of them what does not fit. */
T2_MUST_CHECK enum t2_status tr_tasks_settle(struct tr_data_set *d, const struct mdl_hparams *hp,
                                             struct t2_err *err);

/* tasks: IN_MOST_TASKS of them; their number, 0 of one problem, is returned.  Strings are borrowed
 * from d. */
int tr_tasks_of(const struct tr_data_set *d, enum dg_split split, struct in_task *tasks);

/* The view of problem i, from 0. */
const struct dg_view *tr_task_view(const struct tr_data_set *d, int i);

#endif
