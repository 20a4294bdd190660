/*
 * datagen/shards/layout.c - the layout of T2T's t2t-datagen.
 */
#include "datagen/shards/layout.h"

#include <inttypes.h>

#include "base/log.h"

static void begins(const char *problem)
{
    t2_info("Generating data for %s.", problem);
}

static void vocab_is_there(const char *path)
{
    t2_info("Found vocab file: %s", path);
}

static void split_begins(enum dg_split split)
{
    (void) split;
}

static void many_records(uint64_t n_records)
{
    t2_info("Generating case %" PRIu64 ".", n_records);
}

static void split_ends(uint64_t n_records)
{
    t2_info("Generated %" PRIu64 " Examples", n_records);
}

static void shuffle_begins(void)
{
    t2_info("Shuffling data...");
}

static void shard_is_shuffled(const char *path)
{
    (void) path;
}

static void shuffle_ends(void)
{
    t2_info("Data shuffled.");
}

static void was_complete(void)
{
}

const struct dg_layout dg_layout_t2t = {.revision_key = "samples",
                                        .says = {.begins = begins,
                                                 .vocab_is_there = vocab_is_there,
                                                 .split_begins = split_begins,
                                                 .many_records = many_records,
                                                 .split_ends = split_ends,
                                                 .shuffle_begins = shuffle_begins,
                                                 .shard_is_shuffled = shard_is_shuffled,
                                                 .shuffle_ends = shuffle_ends,
                                                 .was_complete = was_complete}};

const struct dg_layout *dg_layout_of(const struct dg_problem *p)
{
    return p->layout ? p->layout : &dg_layout_t2t;
}
