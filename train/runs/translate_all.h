/*
 * train/runs/translate_all.h - a file translated with every checkpoint of a run, and what each is
 * worth.
 *
 * tensor2tensor/bin/t2t_translate_all.py; spec t2t-datagen.md §10.2.  The decoder is a process of
 * its own for each checkpoint.
 */
#ifndef TR_TRANSLATE_ALL_H
#define TR_TRANSLATE_ALL_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct tr_translated {
    int64_t step;
    const char *path;      /* its translation */
    bool was_there;        /* from an earlier call */
    double uncased, cased; /* BLEU as t2t-bleu has it, 0..100; only with a reference */
};

/* Borrowed; "": not given. */
struct tr_translate_all {
    const char *model_dir, *source, *translations_dir;
    const char *problem;   /* in the names of the files; "": the checkpoints' own */
    const char *reference; /* scores each translation */
    /* Words between blanks; {params} stands for the decoder's flags, which else come last. */
    const char *decoder_command;
    const struct t2_strs *params; /* further flags of the decoder */
    int64_t min_steps;
    double wait_seconds; /* for the next checkpoint, from the time of the last one on */

    void (*translated)(void *context, const struct tr_translated *t); /* in order of steps */
    void *context;
};

/*
 * Writes <translations_dir>/<problem>-<step> for every checkpoint from min_steps on, the oldest
 * first, unless it is there, with the time of the checkpoint.  A checkpoint that a training run
 * removes meanwhile is passed over with a warning.
 *
 * T2_ENOTFOUND: there is no checkpoint; T2_EFORMAT: the decoder failed, and has said why, or a
 * translation has not as many lines as the reference; T2_EINTERRUPTED.
 */
T2_MUST_CHECK enum t2_status tr_translate_all(const struct tr_translate_all *a, struct t2_err *err);

#endif
