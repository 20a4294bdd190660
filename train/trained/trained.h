/*
 * train/trained/trained.h - a trained model ready for use: a checkpoint, its hparams, problem and
 * vocabularies, the variables on a device.
 *
 * The checkpoint knows its model, hparams set and problem: flags that say so again are only
 * compared.  Training opens its run in run.h.
 */
#ifndef TR_TRAINED_H
#define TR_TRAINED_H

#include "base/err.h"
#include "base/flags.h"
#include "tokenizer/encoder.h"
#include "train/ckpt/checkpoint.h"
#include "train/dist/dist.h"
#include "train/models/model.h"
#include "train/runs/data_set.h"

/* Strings may be "" where the checkpoint knows; they are not kept. */
struct tr_trained_options {
    const char *output_dir;      /* of the run */
    const char *checkpoint_path; /* a step, or a model-, state- or optimizer- file of one */
    int64_t average;             /* mean of the newest so many; <= 1: one checkpoint */
    const char *data_dir;
    const char *problem, *model, *hparams_set;
    const char *hparams; /* overrides */
    const char *device;  /* "" = cpu */
    int num_threads;
    /* A model that stands alone (exchange/model_file.h) in place of output_dir, checkpoint_path,
     * average and data_dir. */
    const char *model_file;
    const char *precision; /* dev_set_decoding_precision; NULL or "" = float32 */
};

struct tr_trained {
    char *dir;            /* of the checkpoint, or a model file */
    char *decode_hparams; /* of a model file; else NULL */
    struct ckpt_state state;
    struct tr_data_set data;
    int32_t task_id; /* of several problems: what ends a source, unless the user says it; 0: EOS */
    struct tok_encoder *inputs, *targets; /* inputs NULL when the problem has none */
    struct dev *dev;
    struct mdl *m;
    struct mdl_hparams
        *hp; /* of the run, with --hparams; the model's own are those for evaluation */
};

/*
 * T2_EUSAGE: a flag contradicts the checkpoint (both sides are named); T2_EFORMAT: vocabulary or
 * data are not those it was trained with; T2_ENOTFOUND: no such checkpoint.  *t is owned by the
 * caller.
 */
T2_MUST_CHECK enum t2_status tr_trained_open(const struct tr_trained_options *o,
                                             struct tr_trained *t, struct t2_err *err);
void tr_trained_close(struct tr_trained *t);

/* Do all ranks have the same program, flags (of `tool`), model and values?  T2_EUSAGE names what
 * differs, and both. */
T2_MUST_CHECK enum t2_status tr_trained_check_alike(const struct tr_trained *t, struct dist *ranks,
                                                    const struct t2_tool *tool, struct t2_err *err);

/* A file gets the time of the checkpoint; a remote one does not. */
T2_MUST_CHECK enum t2_status tr_trained_set_time(const struct tr_trained *t, const char *to,
                                                 struct t2_err *err);

/* "run/", "-1": the folder and step that --output_dir and --checkpoint_path mean.  *dir is owned by
 * the caller. */
T2_MUST_CHECK enum t2_status tr_find_checkpoint(const char *output_dir, const char *checkpoint_path,
                                                char **dir, int64_t *step, struct t2_err *err);

#endif
