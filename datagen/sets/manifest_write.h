/*
 * datagen/sets/manifest_write.h - writing <name>.manifest.json; reading is in problem.h.
 */
#ifndef DG_MANIFEST_WRITE_H
#define DG_MANIFEST_WRITE_H

#include "datagen/passes/scan_pass.h"
#include "datagen/passes/split_overlap.h"
#include "datagen/problem.h"
#include "datagen/sets/made_from.h"

/* A text file written beside the shards. */
struct dg_text_file {
    enum dg_split split;
    int side;
    char *file; /* name relative to data_dir */
    uint64_t bytes;
    char sha256[65];
};

/* The content of a manifest beyond struct dg_manifest; everything is borrowed. */
struct dg_manifest_notes {
    const struct dg_made_from *made_from;
    const struct dg_scan *scan;
    const struct dg_made_from *vocab_origin; /* per side: "built", "found", "given", "made" */
    const struct dg_text_file *text_files;
    size_t n_text_files;
    bool drops_of_task;             /* join_drops.h */
    const struct dg_shared *shared; /* of the pairs of splits; NULL: not known */
    bool shared_of_task;            /* join_shared.h */
};

/* The members "dropped" and, where there is something to tell, "replaced_utf8". */
void dg_manifest_put_drops(const struct dg_scan *scan, bool of_task, struct t2_json *j);

/* Fills m->data_sha256 from shards and vocabularies. */
void dg_manifest_hash_data(struct dg_manifest *m);

T2_MUST_CHECK enum t2_status dg_manifest_write(const char *path, const struct dg_manifest *m,
                                               const struct dg_manifest_notes *notes,
                                               struct t2_err *err);

#endif
