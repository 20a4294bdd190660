/*
 * tfrec/verify_record.h - everything `tfrec verify` looks for in one payload.
 */
#ifndef REC_VERIFY_RECORD_H
#define REC_VERIFY_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "tfrec/findings.h"
#include "tfrec/schema.h"
#include "tfrec/values.h"
#include "tfrec/verify_kinds.h"
#include "tfrecord/example.h"
#include "tfrecord/sequence.h"

enum rec_payload {
    REC_PAYLOAD_AUTO, /* Examples when most records are */
    REC_PAYLOAD_EXAMPLE,
    REC_PAYLOAD_SEQUENCE,
    REC_PAYLOAD_ANY /* payloads are not looked at */
};

struct rec_verify_options {
    enum rec_payload payload;
    bool deep;                       /* images */
    int64_t vocab_size;              /* 0: ids are not checked */
    struct t2_strs ids;              /* features that hold ids */
    const struct rec_schema *schema; /* NULL: none given */
    size_t limit;                    /* findings of each severity */
};

/* What was found in some records that follow each other in a file.  Zero-initialise, release. */
struct rec_checked {
    struct rec_findings found;
    struct rec_kinds kinds;
    uint64_t n_records;
    uint64_t n_examples; /* parsed, with features */
    uint64_t n_refused;  /* not parsed */
    uint64_t n_bad;      /* with at least one error in the payload; kinds are settled later */
    /* scratch */
    struct tfr_example example;
    struct tfr_sequence sequence;
    struct rec_values values;
};

/* Adds one record whose framing is sound.  Fails only without memory. */
T2_MUST_CHECK enum t2_status rec_check_record(const struct rec_verify_options *o,
                                              struct rec_checked *c, size_t file, uint64_t number,
                                              uint64_t offset, struct t2_slice record,
                                              struct t2_err *err);
void rec_checked_release(struct rec_checked *c);

#endif
