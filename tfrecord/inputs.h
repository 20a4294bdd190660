/*
 * tfrecord/inputs.h - which files an INPUT of a command line means.
 *
 * An INPUT is a file, a glob ("train-?????-of-00100", "*.tfrecord"), a sharded name ("base@100":
 * base-00000-of-00100 and so on; "base@*": however many there are), a folder, a manifest
 * ("x.manifest.json"), or "-" for the standard input.
 */
#ifndef TFR_INPUTS_H
#define TFR_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define TFR_UNKNOWN_COUNT UINT64_MAX

struct tfr_input_file {
    char *path;     /* "-": the standard input */
    char *split;    /* of the manifest, or "train" in "x-train-00000-of-00010"; "" when unknown */
    char *manifest; /* the manifest that named it; NULL: none did */
    uint64_t n_records;      /* what the manifest says, or TFR_UNKNOWN_COUNT */
    uint64_t manifest_bytes; /* size that the manifest says; 0 without one */
    uint64_t bytes;          /* of the file as it is now; 0 for what is no regular file */
};

struct tfr_inputs {
    struct tfr_input_file *files;
    size_t n;
    uint64_t bytes; /* sum, for progress */
};

/*
 * Resolves args in order; the shards of one argument are in the order of their numbers.  A folder
 * means the shards of its manifests, or without any the files in it that begin like a record file
 * (in the order of their names).
 *
 * T2_ENOTFOUND when an argument matches nothing (the message says what is there instead),
 * T2_EFORMAT when shards are missing or two totals are mixed, T2_EUSAGE without arguments.  *in is
 * zeroed first and released by the caller, also after a failure.
 */
T2_MUST_CHECK enum t2_status tfr_inputs_find(const struct t2_strs *args, struct tfr_inputs *in,
                                             struct t2_err *err);
void tfr_inputs_release(struct tfr_inputs *in);

#endif
