/*
 * tfrec/salvage.h - the sound records of damaged files into new ones, and the bill of what was
 * lost.
 */
#ifndef REC_SALVAGE_H
#define REC_SALVAGE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "tfrec/findings.h"
#include "tfrecord/inputs.h"
#include "tfrecord/sink.h"

struct rec_salvaged_file {
    uint64_t n_saved;
    uint64_t n_mended; /* of them: with a damaged header, whole by their data's CRC */
    uint64_t n_lost;   /* estimate */
    uint64_t lost_bytes, raw_lost_bytes;
    uint64_t n_damages;
};

struct rec_salvage {
    const struct tfr_inputs *in;
    struct rec_salvaged_file *files; /* as many as inputs */
    struct rec_findings found;
    struct tfr_sink_file *outputs;
    size_t n_outputs;
};

/* s is owned by the caller; released also after a failure. */
void rec_salvage_init(struct rec_salvage *s, const struct tfr_inputs *in, size_t max_errors);
void rec_salvage_release(struct rec_salvage *s);

/* Adds the sound records of input `file` to the sink. */
T2_MUST_CHECK enum t2_status rec_salvage_file(struct rec_salvage *s, size_t file,
                                              struct tfr_sink *sink, struct t2_err *err);
/* Makes the sink's files appear and puts them on the bill; releases the sink. */
T2_MUST_CHECK enum t2_status rec_salvage_commit(struct rec_salvage *s, struct tfr_sink *sink,
                                                struct t2_err *err);

void rec_salvage_print(const struct rec_salvage *s, struct t2_buf *out);
void rec_salvage_json(const struct rec_salvage *s, struct t2_buf *out);

#endif
