/*
 * train/trained/ensemble.c - see the header.
 */
#include "train/trained/ensemble.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/str.h"

enum { MOST = 64 };

static enum t2_status check_same(const char *item, const char *what, const char *ours,
                                 const char *theirs, struct t2_err *err)
{
    if (strcmp(ours, theirs) == 0)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE,
                   "--ensemble: '%s' has the %s '%s', the first model '%s': models of one data set "
                   "make an ensemble",
                   item, what, theirs, ours);
}

static enum t2_status open_one(const struct tr_trained_options *opened, const char *item,
                               const struct tr_trained *first, struct tr_trained *t,
                               struct t2_err *err)
{
    struct tr_trained_options o = *opened;

    if (o.model_file && o.model_file[0] != '\0')
        o.model_file = item;
    else
        o.checkpoint_path = item;
    o.model = o.hparams_set = ""; /* theirs may differ */
    if (tr_trained_open(&o, t, err) != T2_OK)
        return t2_wrap(err, "--ensemble: '%s'", item);
    T2_TRY(check_same(item, "problem", first->state.problem, t->state.problem, err));
    T2_TRY(check_same(item, "vocabulary of inputs", first->state.inputs_vocab_sha256,
                      t->state.inputs_vocab_sha256, err));
    T2_TRY(check_same(item, "vocabulary of targets", first->state.targets_vocab_sha256,
                      t->state.targets_vocab_sha256, err));
    t2_info("with %s, %s, step %" PRId64 " in '%s'", t->state.model, t->state.hparams_set,
            t->state.step, t->dir);
    return T2_OK;
}

enum t2_status tr_ensemble_open(const struct tr_trained_options *opened, const char *list,
                                const struct tr_trained *first, struct tr_ensemble *e,
                                struct t2_err *err)
{
    *e = (struct tr_ensemble){0};
    e->trained = t2_alloc(MOST, sizeof *e->trained);
    e->models = t2_alloc(MOST, sizeof(struct mdl *));
    for (const char *at = list;; at++) {
        size_t n = strcspn(at, ",");
        char *item = t2_strndup(at, n);
        enum t2_status st;

        if (n == 0) {
            st = t2_fail(err, T2_EUSAGE, "--ensemble=%s: an empty name", list);
        } else if (e->n == MOST) {
            st = t2_fail(err, T2_EUSAGE, "--ensemble: more than %d models", MOST);
        } else {
            st = open_one(opened, item, first, &e->trained[e->n], err);
            e->models[e->n] = e->trained[e->n].m;
            e->n++; /* closed, whatever is wrong with it */
        }
        t2_free(item);
        T2_TRY(st);
        at += n;
        if (*at == '\0')
            return T2_OK;
    }
}

void tr_ensemble_close(struct tr_ensemble *e)
{
    for (int i = 0; i < e->n; i++)
        tr_trained_close(&e->trained[i]);
    t2_free(e->trained);
    t2_free(e->models);
    *e = (struct tr_ensemble){0};
}
