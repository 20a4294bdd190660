/*
 * datagen/problems/revision_report.h - the report of a shard of wiki_revision*, as T2T writes it
 * beside the shard (aggregate_job_stats): "stats_<shard>".
 */
#ifndef DG_REVISION_REPORT_H
#define DG_REVISION_REPORT_H

#include "base/str.h"
#include "datagen/problems/problem_wiki_revision.h"
#include "datagen/problems/revision_pairs.h"

struct dg_revision_report {
    const struct dg_revision_spec *spec;
    struct t2_strs files; /* the dumps of the shard; owned */
    uint64_t pages, revisions, revisions_admitted;
    struct dg_pair_counts counts;
};
void dg_revision_report_put(const struct dg_revision_report *r, struct t2_buf *text);

/* Appends what Python's repr says of a float: the shortest digits that give it again, "0.04",
 * "1.5", "2.0". */
void dg_put_python_float(double x, struct t2_buf *text);

#endif
