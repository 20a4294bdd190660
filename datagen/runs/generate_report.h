/*
 * datagen/runs/generate_report.h - a run described: before it (--dry_run) and after it (--json).
 */
#ifndef DG_GENERATE_REPORT_H
#define DG_GENERATE_REPORT_H

#include "base/buf.h"
#include "base/json_writer.h"
#include "datagen/runs/generate_options.h"

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

#endif
