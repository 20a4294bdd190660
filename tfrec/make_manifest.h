/*
 * tfrec/make_manifest.h - a manifest for shards that another program made.
 */
#ifndef REC_MAKE_MANIFEST_H
#define REC_MAKE_MANIFEST_H

#include <stdint.h>

#include "base/err.h"
#include "tfrecord/inputs.h"

struct t2_pool;

/* What was found; zero-initialise, release. */
struct rec_manifest_made {
    char *path; /* of the manifest */
    uint64_t n_records;
    size_t n_files, n_splits, n_features;
};
void rec_manifest_made_release(struct rec_manifest_made *made);

/*
 * Reads everything (both CRCs are checked) and writes <folder of the files>/<name>.manifest.json:
 * splits by the names of the files ("all" where they do not say), counts, sizes, SHA-256, and the
 * features of all records; none when the first record is no Example.
 *
 * name NULL: what the names of the files have in common, else the folder's.  T2_EUSAGE when the
 * files are not all regular files of one folder, when one comes twice, or when the manifest is
 * there already; T2_EFORMAT for damage, or records that disagree about the kind of a feature.
 */
T2_MUST_CHECK enum t2_status rec_make_manifest(const struct tfr_inputs *in, const char *name,
                                               struct t2_pool *pool, struct rec_manifest_made *made,
                                               struct t2_err *err);

#endif
