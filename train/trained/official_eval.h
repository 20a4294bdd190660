/*
 * train/trained/official_eval.h - what the official Transformer's program does with a trained
 * model: BLEU of a translated file, and a look at translations of the dev data.
 *
 * official/nlp/transformer/transformer_main.py and translate.py; spec official-transformer.md
 * §8.2-8.4.
 */
#ifndef TR_OFFICIAL_EVAL_H
#define TR_OFFICIAL_EVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Borrowed. */
struct tr_official_options {
    const char *data_dir, *model_dir, *problem, *device;
    const char *bleu_source, *bleu_ref;
    int64_t decode_batch_size;
    int64_t decode_max_length; /* sources have so many ids at most: the last ones stay */
    int num_threads;
};

/* Translates bleu_source with the newest checkpoint, in batches of lines by descending numbers of
 * words, and scores it: scores[0] is uncased, scores[1] cased; 0..100.  Blank lines are translated,
 * too.  T2_EFORMAT: see ev_official_bleu. */
T2_MUST_CHECK enum t2_status tr_official_bleu(const struct tr_official_options *o, double scores[2],
                                              struct t2_err *err);

/* Appends the translations of the dev data's first n sources, each with a line end. */
T2_MUST_CHECK enum t2_status tr_official_predict(const struct tr_official_options *o, int64_t n,
                                                 struct t2_buf *out, struct t2_err *err);

#endif
