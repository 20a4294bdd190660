/*
 * datagen/runs/existing_set.h - what is in data_dir already: nothing, a part, or all of a data set.
 */
#ifndef DG_EXISTING_SET_H
#define DG_EXISTING_SET_H

#include "datagen/runs/generate_options.h"
#include "datagen/sets/made_from.h"

enum dg_there { DG_THERE_NOTHING, DG_THERE_PART, DG_THERE_ALL };

/*
 * Looks at manifest, plan and shards of p.
 *
 * DG_THERE_PART: a run with the same made_from was stopped, or files of the finished set were lost.
 * Fails with T2_EFORMAT when what is there was made from something else or by another program: the
 * message names the difference and --overwrite.  *vocab_origin is what the first run noted.
 */
T2_MUST_CHECK enum t2_status dg_existing_set(const struct dg_problem *p,
                                             const struct dg_generate *g,
                                             const struct dg_made_from *made_from,
                                             enum dg_there *there,
                                             struct dg_made_from *vocab_origin, struct t2_err *err);

/*
 * Is a finished set of a problem that fetches its sources (p->prepare) complete, as far as can be
 * said without preparing or reading its sources again?  made_from is what is known before the scan.
 * Input files that are still there must have the hash that the manifest says; downloads that are
 * gone are not missed. false also when something is wrong: the usual way says what.
 */
bool dg_existing_set_is_complete(const struct dg_problem *p, const struct dg_generate *g,
                                 const struct dg_made_from *made_from);

/* Removes manifest, plan, shards of any count, text files and vocabularies of p, manifest first. */
T2_MUST_CHECK enum t2_status dg_existing_set_clear(const struct dg_problem *p,
                                                   const struct dg_generate *g, struct t2_err *err);

/* "<data_dir>/<name>.plan.json": there while a run is under way.  Owned by the caller. */
char *dg_plan_path(const char *data_dir, const char *name);

#endif
