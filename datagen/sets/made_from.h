/*
 * datagen/sets/made_from.h - what decides the bytes of a data set: inputs, seed, sizes, shard
 * counts.
 *
 * Written into the plan file of a run that is under way and into the manifest of a finished one, so
 * that the same command again continues or is told that nothing is left to do, and another command
 * is refused with the difference.
 */
#ifndef DG_MADE_FROM_H
#define DG_MADE_FROM_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "base/str.h"

/* Pairs of key and value, in order; zero-initialise. */
struct dg_made_from {
    struct t2_strs keys, values;
};
void dg_made_from_release(struct dg_made_from *m);
void dg_made_from_add(struct dg_made_from *m, const char *key, const char *format, ...)
    T2_PRINTF(3, 4);
const char *dg_made_from_get(const struct dg_made_from *m, const char *key); /* NULL: absent */

/* Number of keys whose values differ; the first ones are described in *text: "random_seed: 1 there,
 * 2 here". */
size_t dg_made_from_compare(const struct dg_made_from *there, const struct dg_made_from *here,
                            struct t2_buf *text);

/* The object `key` of a JSON file (manifest or plan). */
T2_MUST_CHECK enum t2_status dg_made_from_load(const char *path, const char *key,
                                               struct dg_made_from *m, struct t2_err *err);
void dg_made_from_write(const struct dg_made_from *m, const char *key, struct t2_json *json);

#endif
