/*
 * tfrecord/manifest.h - <name>.manifest.json: the files of a data set, with counts and hashes.
 *
 * The part that every data set has, whoever made it; what t2t-datagen adds (vocabularies, sources,
 * drops) is in datagen/problem.h and is kept here untouched.  Layout: docs/formats.md.
 */
#ifndef TFR_MANIFEST_H
#define TFR_MANIFEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct t2_json;
struct t2_json_doc;

struct tfr_manifest_shard {
    char *file; /* name relative to the manifest's folder, never a way out of it */
    uint64_t n_records, bytes;
    char sha256[65];
};

struct tfr_manifest_split {
    char *name; /* "train" */
    uint64_t n_records;
    struct tfr_manifest_shard *shards;
    size_t n_shards;
};

/* One feature over all splits. */
struct tfr_manifest_feature {
    char *name; /* "inputs" */
    char *kind; /* "int64", "float", "bytes" */
    uint64_t min_length, max_length, n_values;
    int64_t min_value, max_value; /* of int64; 0 for others */
};

struct tfr_manifest {
    char *path; /* where it was read from */
    char *problem;
    struct tfr_manifest_split *splits;
    size_t n_splits;
    struct tfr_manifest_feature *features;
    size_t n_features;
    char sha256[65];         /* of the manifest file itself */
    struct t2_json_doc *doc; /* everything else that it says; NULL for a new one */
};

/* T2_ENOTFOUND when the file is absent; T2_EFORMAT names the key that is missing or wrong.  *m is owned
 * by the caller. */
T2_MUST_CHECK enum t2_status tfr_manifest_load(const char *path, struct tfr_manifest **m,
                                               struct t2_err *err);
T2_MUST_CHECK enum t2_status tfr_manifest_parse(const char *text, size_t len_bytes,
                                                const char *origin, struct tfr_manifest **m,
                                                struct t2_err *err);
void tfr_manifest_free(struct tfr_manifest *m);

#endif
