/*
 * datagen/datagen_flags.h - the flags of t2t-datagen.
 */
#ifndef DG_DATAGEN_FLAGS_H
#define DG_DATAGEN_FLAGS_H

#include "base/err.h"
#include "base/flags.h"
#include "datagen/fetch/fetch_flags.h"
#include "datagen/own/own_text_flags.h"
#include "datagen/own/problem_own_images.h"
#include "datagen/problems/problem_wiki_revision.h"

/* The values of the flags. */
struct dg_datagen_flags {
    const char *problem, *exclude_problems, *data_dir, *tmp_dir, *t2t_usr_dir;
    const char *layout, *raw_dir;
    int64_t num_shards, train_shards, dev_shards, test_shards, max_cases, random_seed;
    int64_t num_concurrent_processes, file_byte_budget;
    bool only_list, describe, overwrite, ignore_space, dry_run, json, search, zero_based_labels;
    uint64_t shuffle_memory, max_memory, max_unpacked;
    int64_t max_unpack_ratio;
    const char *invalid, *shuffle, *check, *task;
    int64_t task_id, task_id_start, task_id_end;
    bool info, join;
    const char *preview, *preview_pipeline;
    int64_t preview_images;
    /* accepted by the original, not usable here */
    const char *text_later;
    int64_t int_later;
    bool bool_later;
    struct dg_own_text own_text;
    struct dg_revision_spec revisions;
    struct dg_own_images own_images; /* what has no flag of text of one's own */
    struct dg_refusals refusals;     /* of own_images, after dg_flags_check */
    struct dg_fetch_flags fetch;
    struct dg_fetch_options fetch_options; /* of fetch, after dg_flags_check */
};
extern struct dg_datagen_flags dg_flags;

/* The table for t2_flags_parse; borrowed. */
const struct t2_flag *dg_flag_table(size_t *n);
/* T2_EUSAGE when values are out of range or contradict each other. */
T2_MUST_CHECK enum t2_status dg_flags_check(struct t2_err *err);
/* The flags that decide the bytes, in the order of the table: the command a manifest shows.  Owned
 * by the caller. */
char *dg_manifest_command(void);
bool dg_flags_are_official(void); /* --layout=official */

/* Values of --invalid and --shuffle, in the order of their enums. */
extern const char *const dg_invalid_policies[3], *const dg_shuffles[3];
/* Which of three names a value is; the last when it is none of them. */
int dg_flag_choice(const char *const names[3], const char *value);

#endif
