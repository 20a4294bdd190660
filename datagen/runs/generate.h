/*
 * datagen/runs/generate.h - a problem becomes a data set: vocabulary, shards, manifest.
 *
 * Order: scan all inputs, plan, vocabulary, encode, shuffle, manifest.  A run that was stopped is
 * continued by the same call; the result has the same bytes.
 */
#ifndef DG_GENERATE_H
#define DG_GENERATE_H

#include "datagen/runs/generate_options.h"
#include "datagen/runs/generate_report.h"

T2_MUST_CHECK enum t2_status dg_generate(const struct dg_problem *p, const struct dg_generate *g,
                                         struct dg_report *report, struct t2_err *err);

#endif
