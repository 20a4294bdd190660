/*
 * train/ckpt/checkpoint_state.h - the file state-<step>.json, and the names in an output folder;
 * for checkpoint*.c only.
 */
#ifndef CKPT_CHECKPOINT_STATE_H
#define CKPT_CHECKPOINT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "train/ckpt/checkpoint.h"
#include "train/models/hparams.h"

/* One of the two tensor files as the state knows it. */
struct ckpt_part {
    uint64_t n_bytes;
    char sha256[65];
    bool has_crc; /* not in a state that an older version wrote */
    uint32_t crc32c;
};

/* The whole content of state-<step>.json but the hparams. */
struct ckpt_record {
    struct ckpt_state state;
    struct ckpt_part model;
    bool has_optimizer; /* of a bundle: not known before it is opened */
    struct ckpt_part optimizer;
    char optimizer_name[64];
    int64_t updates;
};

/* "<output_dir>/<kind>-<step>.<extension>"; kind is model, optimizer or state.  Owned by the
 * caller. */
char *ckpt_path(const char *output_dir, const char *kind, int64_t step);
/* The other way: "state-120.json" of kind "state" -> 120; -1 for every other name. */
int64_t ckpt_step_of_name(const char *name, const char *kind);

T2_MUST_CHECK enum t2_status ckpt_record_write(const char *output_dir,
                                               const struct ckpt_record *record,
                                               const struct mdl_hparams *hp, struct t2_err *err);
/* hp may be NULL.  T2_EFORMAT with the way out for anything that ckpt_record_write does not
 * write. */
T2_MUST_CHECK enum t2_status ckpt_record_read(const char *output_dir, int64_t step,
                                              struct ckpt_record *record, struct mdl_hparams **hp,
                                              struct t2_err *err);

/* Ends a message about a damaged checkpoint with what to do; returns err->status. */
enum t2_status ckpt_add_way_out(const char *output_dir, int64_t step, struct t2_err *err);
/* Steps with a state file: those that are ours to remove.  As ckpt_list. */
T2_MUST_CHECK enum t2_status ckpt_list_own(const char *output_dir, int64_t **steps, size_t *n,
                                           struct t2_err *err);
/* -1 becomes the newest step; another must exist. */
T2_MUST_CHECK enum t2_status ckpt_resolve_step(const char *output_dir, int64_t *step,
                                               struct t2_err *err);

#endif
