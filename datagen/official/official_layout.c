/*
 * datagen/official/official_layout.c - the layout of data_download.
 */
#include "datagen/official/official_layout.h"

#include <inttypes.h>

#include "base/log.h"

static void begins(const char *problem)
{
    (void) problem;
}

static void vocab_is_there(const char *path)
{
    t2_info("Vocab file already exists (%s)", path);
}

static void split_begins(enum dg_split split)
{
    t2_info("Saving files with tag %s.", dg_split_name(split));
}

static void many_records(uint64_t n_records)
{
    if (n_records > 0)
        t2_info("\tSaving case %" PRIu64 ".", n_records);
}

static void split_ends(uint64_t n_records)
{
    t2_info("Saved %" PRIu64 " Examples", n_records);
}

static void shard_is_shuffled(const char *path)
{
    t2_info("Shuffling records in file %s", path);
}

static void nothing(void)
{
}

static void was_complete(void)
{
    t2_info("Files with tag %s already exist.", dg_split_name(DG_TRAIN));
}

const struct dg_layout dg_layout_official = {.first_shard = 1,
                                             .shuffles_only_train = true,
                                             .prepares_always = true,
                                             .revision_key = "layout",
                                             .says = {.begins = begins,
                                                      .vocab_is_there = vocab_is_there,
                                                      .split_begins = split_begins,
                                                      .many_records = many_records,
                                                      .split_ends = split_ends,
                                                      .shuffle_begins = nothing,
                                                      .shard_is_shuffled = shard_is_shuffled,
                                                      .shuffle_ends = nothing,
                                                      .was_complete = was_complete}};
