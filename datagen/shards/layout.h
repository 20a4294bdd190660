/*
 * datagen/shards/layout.h - whose data set it looks like: T2T's, or that of the official
 * Transformer's data_download.
 *
 * The two programs write the same records; they number and shuffle shards differently, and say what
 * they do in other words.  A problem names its layout (dg_problem.layout).
 */
#ifndef DG_LAYOUT_H
#define DG_LAYOUT_H

#include "datagen/problem.h"

/* What the program says while it works, in the original's words; each may say nothing. */
struct dg_messages {
    void (*begins)(const char *problem);
    void (*vocab_is_there)(const char *path);
    void (*split_begins)(enum dg_split split);
    void (*many_records)(uint64_t n_records); /* in front of record 0, 100000, 200000, ... */
    void (*split_ends)(uint64_t n_records);
    void (*shuffle_begins)(void);
    void (*shard_is_shuffled)(const char *path);
    void (*shuffle_ends)(void);
    void (*was_complete)(void);
};

struct dg_layout {
    int first_shard; /* number of the first shard of a split in its name */
    bool shuffles_only_train;
    bool prepares_always;     /* looks for its sources also when the set is complete, and says so */
    const char *revision_key; /* what made_from calls dg_problem.revision */
    struct dg_messages says;
};

extern const struct dg_layout dg_layout_t2t;
/* That of a problem, T2T's unless it names one. */
const struct dg_layout *dg_layout_of(const struct dg_problem *p);

#endif
