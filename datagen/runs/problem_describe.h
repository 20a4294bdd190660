/*
 * datagen/runs/problem_describe.h - what a problem is made from and what it becomes, without making
 * it:
 * --describe.
 */
#ifndef DG_PROBLEM_DESCRIBE_H
#define DG_PROBLEM_DESCRIBE_H

#include "base/buf.h"
#include "base/json_writer.h"
#include "datagen/runs/generate_options.h"

/* Appends some lines: sources with size, licence and where they are, fields, vocabularies,
 * shards. */
void dg_problem_describe(const struct dg_problem *p, const struct dg_generate *g,
                         struct t2_buf *text);
/* One object with the same. */
void dg_problem_describe_json(const struct dg_problem *p, const struct dg_generate *g,
                              struct t2_json *json);

/* Appends the problems of `names`, grouped by family, "  * name  summary" each. */
void dg_list_families(const struct t2_strs *names, struct t2_buf *text);

#endif
