/*
 * train/exchange/model_file_sides.h - the vocabularies of a model file, read beside all else.
 *
 * A large one takes as long as the checksum of the weights, and nothing needs it before a text is
 * there: a thread reads them while a model is made.
 */
#ifndef XCH_MODEL_FILE_SIDES_H
#define XCH_MODEL_FILE_SIDES_H

#include <pthread.h>
#include <stdbool.h>

#include "base/err.h"
#include "tokenizer/encoder.h"
#include "train/ckpt/safetensors.h"

enum { XCH_INPUTS, XCH_TARGETS, XCH_N_SIDES };

struct xch_side {
    struct t2_slice bytes;   /* of the vocabulary's file; borrowed from the model file */
    int32_t n, offset;       /* ids, as the description has them */
    bool is_there, is_file;  /* a side; a file, else bytes */
    struct tok_encoder *tok; /* NULL until it was read */
};

struct xch_sides {
    struct xch_side side[XCH_N_SIDES];
    const char *path; /* borrowed */
    bool running;
    pthread_t thread;
    enum t2_status st;
    struct t2_err err;
};

/* Reads what the description says, checks it, and begins with the vocabularies.  file, path and *s
 * stay where they are until xch_sides_wait.  T2_EFORMAT.  To be ended, also on failure. */
T2_MUST_CHECK enum t2_status xch_sides_begin(struct ckpt_file *file, const char *path,
                                             struct xch_sides *s, struct t2_err *err);
/* Waits until all are read.  T2_EFORMAT: one of them is none, or not what was said. */
T2_MUST_CHECK enum t2_status xch_sides_wait(struct xch_sides *s, struct t2_err *err);
/* Waits, and frees what nobody has taken (tok set to NULL). */
void xch_sides_end(struct xch_sides *s);

#endif
