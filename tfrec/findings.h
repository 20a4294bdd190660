/*
 * tfrec/findings.h - what `tfrec verify` found: a bounded list in the order of the records, and
 * counts.
 */
#ifndef REC_FINDINGS_H
#define REC_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "tfrecord/inputs.h"

struct t2_json;

/* Of payload things it is known only at the end whether they matter: the payloads may be no
 * Examples. */
enum rec_severity { REC_DAMAGE, REC_PAYLOAD_ERROR, REC_PAYLOAD_WARNING, REC_N_SEVERITIES };

#define REC_NO_RECORD UINT64_MAX

struct rec_finding {
    enum rec_severity severity;
    size_t file;     /* number of the input file */
    uint64_t record; /* in the file; REC_NO_RECORD: the file as a whole */
    uint64_t offset; /* of the record in the uncompressed file */
    char *field;     /* "length CRC", "features.feature['inputs']" */
    char *words;
    uint64_t lost_bytes, lost_records;
    uint64_t raw_offset; /* of damaged compression; else 0 */
};

/* Zero-initialise, set limit, release.  At most limit findings of each severity are kept, the
 * first. */
struct rec_findings {
    struct rec_finding *items;
    size_t n, capacity;
    size_t limit;
    size_t kept[REC_N_SEVERITIES];
    uint64_t counts[REC_N_SEVERITIES]; /* all there were */
};

/* Appends; words are made by printf.  Gives the finding, to fill in more, or NULL when it is
 * counted only. */
struct rec_finding *rec_find(struct rec_findings *l, enum rec_severity severity, size_t file,
                             uint64_t record, uint64_t offset, const char *field,
                             const char *format, ...) T2_PRINTF(7, 8);
/* Moves what `from` has to the end of `into`; from is empty then, its memory is kept. */
void rec_findings_move(struct rec_findings *into, struct rec_findings *from);
void rec_findings_clear(struct rec_findings *l);
void rec_findings_release(struct rec_findings *l);
/* Forgets those of the payload. */
void rec_findings_drop_payload(struct rec_findings *l);
/* By file, offset, and as they came. */
void rec_findings_sort(struct rec_findings *l);

/* "a.tfrecord: record 3 at offset 99: data CRC: ..." */
void rec_finding_print(const struct rec_finding *f, const struct tfr_inputs *in, bool strict,
                       struct t2_buf *out);
void rec_finding_json(const struct rec_finding *f, const struct tfr_inputs *in, bool strict,
                      struct t2_json *j);

#endif
