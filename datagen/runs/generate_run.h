/*
 * datagen/runs/generate_run.h - one run of dg_generate, as its parts share it; inside.
 */
#ifndef DG_GENERATE_RUN_H
#define DG_GENERATE_RUN_H

#include "base/mt19937.h"
#include "datagen/passes/encode_run.h"
#include "datagen/runs/existing_set.h"
#include "datagen/runs/memory_shares.h"
#include "datagen/sets/manifest_write.h"

enum { DG_MAX_TEXT_FILES = DG_N_SPLITS * DG_N_SIDES };

/* One run of dg_generate. */
struct dg_run {
    const struct dg_problem *p;
    const struct dg_generate *g;
    struct dg_memory_plan memory;
    char *beside; /* of scratch files of words */
    struct dg_scan scan;
    struct dg_made_from made_from, vocab_origin;
    char *vocab_paths[DG_N_SIDES];   /* NULL for bytes; shared: both the same text */
    bool vocab_is_there[DG_N_SIDES]; /* in front of this run: asked once, by dg_look_at_vocabs */
    struct dg_vocab vocabs[DG_N_SIDES];
    struct dg_encode encode;
    struct dg_hashes hashes[DG_N_SPLITS]; /* of what was encoded; of a task of many: nothing */
    struct dg_shared shared[DG_N_SHARED];
    struct t2_strs shard_paths;
    struct t2_mt *shard_states; /* of a problem with a maker: see shard_maker.h */
    struct dg_manifest *m;
    struct dg_text_file text_files[DG_MAX_TEXT_FILES];
    size_t n_text_files;
};

/* Which sides have a vocabulary of their own: targets always, inputs when they do not share it. */
bool dg_has_own_vocab(const struct dg_problem *p, int side);

/* An answer that cannot be had is an error: a vocabulary that is taken for absent would be built
 * anew. */
T2_MUST_CHECK enum t2_status dg_look_at_vocabs(struct dg_run *r, struct t2_err *err);

/* Fills made_from: all that decides the bytes, known after the scan. */
T2_MUST_CHECK enum t2_status dg_describe_run(struct dg_run *r, struct t2_err *err);
/* Finds, takes, makes or builds the vocabularies, and loads them. */
T2_MUST_CHECK enum t2_status dg_provide_vocabs(struct dg_run *r, struct t2_err *err);

#endif
