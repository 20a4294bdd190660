/*
 * tfrec/edit.h - opening a finished data set to change it, and closing it again.
 *
 * What `append`, `remove` and `relabel` share: finding the set, the lock, finishing an edit that
 * was stopped, the schema, the manifest's history.  How an edit survives a crash is in
 * edit_journal.h, going over the records in edit_records.h, adding some in edit_append.h.
 */
#ifndef REC_EDIT_H
#define REC_EDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dir_lock.h"
#include "base/err.h"
#include "tfrec/edit_journal.h"
#include "tfrec/schema.h"
#include "tfrecord/inputs.h"
#include "tfrecord/manifest.h"

struct rec_edit_options {
    const char *set;     /* a manifest, or a folder with one */
    const char *command; /* for the history, without flags that change nothing */
    /* Files that the edit depends on beside the set, for knowing the same edit again; a file that
     * cannot be read twice makes that impossible. */
    const struct tfr_inputs *others;
    bool dry_run; /* nothing is locked, recovered, or written */
    bool again;   /* also when the last edit of the set was this one */
};

struct rec_edit {
    char *path, *dir, *name;
    struct tfr_manifest *m;  /* changed by the edit, written by rec_edit_commit */
    struct tfr_inputs files; /* all shards in the manifest's order */
    bool is_staging;         /* the folder of rec_edit_stage was made by this edit */
    uint64_t *first;         /* number of the first record of each, over the whole set */
    uint64_t n_records;      /* before the edit */
    bool dry_run;
    char *command;
    char edit_sha256[65];
    struct rec_journal journal; /* the moves that commit will do before that of the manifest */
    struct t2_lock lock;
};

/*
 * *e is NULL with T2_OK when there is nothing left to do: the last edit of the set was this one (it
 * may have been finished only now), and `again` was not given.  Else it is owned by the caller.
 *
 * T2_EUSAGE when set is no data set, T2_EIO when another run has the lock, T2_EFORMAT when files
 * have another size than the manifest says.
 */
T2_MUST_CHECK enum t2_status rec_edit_open(const struct rec_edit_options *o, struct rec_edit **e,
                                           struct t2_err *err);
/* Path of a new file of the edit, in a folder that the set's readers do not see; made when need be.
 * Owned by the caller. */
T2_MUST_CHECK enum t2_status rec_edit_stage(struct rec_edit *e, const char *file, char **path,
                                            struct t2_err *err);
/* Decides the edit: manifest with its history, all moves.  Does nothing in a dry run. */
T2_MUST_CHECK enum t2_status rec_edit_commit(struct rec_edit *e, struct t2_err *err);
/* Without a commit nothing has changed.  NULL is allowed. */
void rec_edit_free(struct rec_edit *e);

/* The shard that is files.files[i]. */
struct tfr_manifest_shard *rec_edit_shard(const struct rec_edit *e, size_t i);

/* ---- the schema ---- */

/*
 * What the schema says, as features of a manifest.  Names in `old` come first and in its order,
 * also those that no record has any more; then new ones by name.  T2_EFORMAT when records disagree
 * about a kind; in names the file.  *features is owned by the caller (tfr_manifest_release_feature
 * for each).
 */
T2_MUST_CHECK enum t2_status rec_features_of(const struct rec_schema *s,
                                             const struct tfr_inputs *in,
                                             const struct tfr_manifest_feature *old, size_t n_old,
                                             struct tfr_manifest_feature **features,
                                             size_t *n_features, struct t2_err *err);
/*
 * Does a record fit into the set?  Every feature is known, of the same kind and there unless it may
 * be absent; ids are in the range of their vocabulary, where the manifest knows its size.  Always
 * true for a set without features.  T2_EFORMAT names the feature, not the record.
 */
T2_MUST_CHECK enum t2_status rec_edit_check_record(const struct rec_edit *e,
                                                   const struct tfr_example *ex,
                                                   struct rec_values *scratch, struct t2_err *err);

#endif
