/*
 * tfrec/verify.h - going through all inputs for `tfrec verify`, and the report.
 */
#ifndef REC_VERIFY_H
#define REC_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "tfrec/findings.h"
#include "tfrec/verify_record.h"
#include "tfrecord/inputs.h"

struct t2_pool;

struct rec_verified_file {
    uint64_t n_read;     /* records that could be read */
    uint64_t n_mended;   /* of them: with a damaged header, whole by their data's CRC */
    uint64_t n_lost;     /* estimate */
    uint64_t n_bad;      /* of those read: errors in the payload */
    uint64_t n_damages;  /* of framing, compression or the file itself */
    uint64_t n_examples; /* of those read: with features */
    bool are_examples;   /* payloads count */
};

struct rec_verified {
    struct rec_verified_file *files; /* as many as there are inputs */
    struct rec_findings found;
    uint64_t n_records;
    size_t n_other_files; /* that have records, of which most are no Examples */
    bool too_many_features;
};

/*
 * Reads everything.  Damage is in *v, not in the status; that says only that the system failed.  v
 * is zeroed first and released by the caller, also on failure.  The result does not depend on the
 * threads.
 */
T2_MUST_CHECK enum t2_status rec_verify_run(const struct tfr_inputs *in,
                                            const struct rec_verify_options *o,
                                            struct t2_pool *pool, struct rec_verified *v,
                                            struct t2_err *err);
void rec_verified_release(struct rec_verified *v);

/* Compares files that a manifest named with what it says: records, bytes, and with hash their
 * SHA-256. */
T2_MUST_CHECK enum t2_status rec_verify_manifests(const struct tfr_inputs *in, bool hash,
                                                  struct t2_pool *pool, struct rec_verified *v,
                                                  struct t2_err *err);

/* Errors, warnings counted as the flags say. */
uint64_t rec_verified_errors(const struct rec_verified *v, bool strict);
void rec_verify_print(const struct tfr_inputs *in, const struct rec_verify_options *o,
                      const struct rec_verified *v, bool strict, struct t2_buf *out);
void rec_verify_json(const struct tfr_inputs *in, const struct rec_verify_options *o,
                     const struct rec_verified *v, bool strict, struct t2_buf *out);

#endif
