/*
 * tfrecord/manifest.h - <name>.manifest.json: the files of a data set, with counts and hashes.
 *
 * The part that every data set has, whoever made it; what t2t-datagen adds (vocabularies, sources,
 * drops) is read by datagen/sets/manifest_read.c and is kept here untouched.  Layout:
 * docs/formats.md.
 */
#ifndef TFR_MANIFEST_H
#define TFR_MANIFEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#define TFR_MANIFEST_SUFFIX ".manifest.json"

struct t2_json;
struct t2_json_doc;
struct t2_sha256;

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
    char *name;                                /* "inputs" */
    char *kind;                                /* "int64", "float", "bytes", "none" */
    uint64_t min_length, max_length, n_values; /* a record without it counts as length 0 */
    int64_t min_value, max_value;              /* of int64; 0 for others */
};

struct tfr_manifest {
    char *path;    /* where it was read from */
    char *problem; /* the data set's name */
    struct tfr_manifest_split *splits;
    size_t n_splits;
    struct tfr_manifest_feature *features;
    size_t n_features;
    char sha256[65];         /* of the manifest file itself; "" for a new one */
    struct t2_json_doc *doc; /* everything else that it says; NULL for a new one */
};

/* ---- reading ---- */

/*
 * T2_ENOTFOUND when the file is absent; T2_EFORMAT names the key that is missing or wrong.  *m is
 * owned by the caller.
 *
 * While an edit of the set is under way or was stopped halfway (its journal is there, see
 * tfr_journal_path), files and manifest may not belong together: T2_EIO, saying what to do.
 */
T2_MUST_CHECK enum t2_status tfr_manifest_load(const char *path, struct tfr_manifest **m,
                                               struct t2_err *err);
/* The same of a text in memory, without the look at a journal; origin is for messages. */
T2_MUST_CHECK enum t2_status tfr_manifest_parse(const char *text, size_t len_bytes,
                                                const char *origin, struct tfr_manifest **m,
                                                struct t2_err *err);
void tfr_manifest_free(struct tfr_manifest *m);

uint64_t tfr_manifest_records(const struct tfr_manifest *m); /* of all splits */
/* NULL when there is no such split. */
struct tfr_manifest_split *tfr_manifest_find_split(const struct tfr_manifest *m, const char *name);
struct tfr_manifest_feature *tfr_manifest_find_feature(const struct tfr_manifest *m,
                                                       const char *name);
/* Release what the members own, zero them. */
void tfr_manifest_release_split(struct tfr_manifest_split *s);
void tfr_manifest_release_feature(struct tfr_manifest_feature *f);

/*
 * "<dir>/.<name>.edit.json", the journal of an edit (tfrec/edit_journal.h) of the set whose
 * manifest is `path`; owned by the caller.
 */
char *tfr_journal_path(const char *path);

/* ---- writing (manifest_text.c) ---- */

/* An entry of "history"; strings are borrowed. */
struct tfr_manifest_edit {
    const char *command, *version;
    const char *edit_sha256; /* of everything that decides what the edit does */
    uint64_t records_before, records_after;
};

/*
 * Appends the manifest as text.  What doc says beyond splits, features, history and data_sha256 is
 * kept, in its order.  edit (may be NULL) becomes the last entry of the history.  command and
 * version are of a new manifest (m->doc NULL), else they may be NULL.
 *
 * T2_EFORMAT when doc holds something that cannot be written again.
 */
T2_MUST_CHECK enum t2_status tfr_manifest_text(const struct tfr_manifest *m, const char *command,
                                               const char *version,
                                               const struct tfr_manifest_edit *edit,
                                               struct t2_buf *out, struct t2_err *err);
/* The hash of the data: of shards and vocabularies, in the order that t2t-datagen has. */
void tfr_manifest_hash_data(const struct tfr_manifest *m, char sha256[65]);

/* Parts, for writers of larger manifests: members "features" and one of "splits". */
void tfr_manifest_put_features(struct t2_json *j, const struct tfr_manifest_feature *features,
                               size_t n_features);
void tfr_manifest_put_split(struct t2_json *j, const char *name,
                            const struct tfr_manifest_split *s);
/* One line of the hash of the data, and all lines of a split. */
void tfr_manifest_hash_file(struct t2_sha256 *h, const char *sha256, const char *file);
void tfr_manifest_hash_split(struct t2_sha256 *h, const struct tfr_manifest_split *s);

#endif
