/*
 * datagen/generate.h - a problem becomes a data set: vocabulary, shards, manifest.
 *
 * Order: scan all inputs, plan, vocabulary, encode, shuffle, manifest.  A run that was stopped is
 * continued by the same call; the result has the same bytes.
 */
#ifndef DG_GENERATE_H
#define DG_GENERATE_H

#include "base/buf.h"
#include "base/json_writer.h"
#include "base/pool.h"
#include "datagen/problem.h"
#include "datagen/task_share.h"

/*
 * Order of the records.  t2t: the original's, record k of a split in shard k mod n, shuffled inside
 * its shard; global: shard by a random permutation of all records of the split, shuffled inside its
 * shard, so any order of all is as likely as another; none: as the samples came.  Functions of
 * random_seed.
 */
enum dg_shuffle_kind { DG_SHUFFLE_T2T, DG_SHUFFLE_GLOBAL, DG_SHUFFLE_NONE };

struct dg_generate {
    struct dg_options options;
    int n_shards[DG_N_SPLITS]; /* 0: the problem's own */
    bool overwrite;            /* replace a data set that differs */
    bool ignore_space;         /* begin although the forecast does not fit on the disk */
    enum dg_shuffle_kind shuffle;
    struct dg_task_share share; /* of one task of many; join_parts.h joins what they made */
    uint64_t max_memory;        /* of the whole program; 0: what the machine has */
    uint64_t shuffle_bytes;     /* records held in memory before they go to scratch files */
    const char *command;        /* for the manifest */
    struct t2_pool *pool;
};

enum dg_outcome { DG_MADE, DG_CONTINUED, DG_WAS_COMPLETE };

/* What a run reports; zero-initialise, dg_report_release. */
struct dg_report {
    enum dg_outcome outcome;
    struct dg_manifest *manifest;
    char *manifest_path;
    uint64_t text_bytes; /* encoded */
    double seconds;
};
void dg_report_release(struct dg_report *r);
void dg_report_json(const struct dg_report *r, struct t2_json *json);

T2_MUST_CHECK enum t2_status dg_generate(const struct dg_problem *p, const struct dg_generate *g,
                                         struct dg_report *report, struct t2_err *err);

struct dg_forecast;
/* What dg_generate would do, in words, and what it would take, in one JSON object if json; opens
 * nothing for writing.  What it would take is added to *sum. */
T2_MUST_CHECK enum t2_status dg_describe_plan(const struct dg_problem *p,
                                              const struct dg_generate *g, bool json,
                                              struct dg_forecast *sum, struct t2_buf *text,
                                              struct t2_err *err);

struct dg_input_sizes;
/* What the splits and vocabularies are made from tells it; fails as the first that cannot say
 * it. */
T2_MUST_CHECK enum t2_status dg_describe_inputs(const struct dg_problem *p,
                                                const struct dg_generate *g,
                                                struct dg_input_sizes *sizes, struct t2_err *err);

/* With --offline: appends what a run would miss to *lines, each once; nothing for a set that is
 * there. */
void dg_missing_offline(const struct dg_problem *p, const struct dg_generate *g,
                        struct t2_strs *lines);

/* Names of a problem's files; shared by generate.c and its parts. */
int dg_n_shards(const struct dg_problem *p, const struct dg_generate *g, enum dg_split split);
/* Appends the paths of all shards in shuffle order: train, dev, test. */
void dg_shard_paths(const struct dg_problem *p, const struct dg_generate *g, struct t2_strs *paths);

#endif
