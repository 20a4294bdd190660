/*
 * tfrec/recompress.h - all records of the inputs, in order, into other files: cut, joined,
 * compressed.
 */
#ifndef REC_RECOMPRESS_H
#define REC_RECOMPRESS_H

#include "base/err.h"
#include "tfrecord/inputs.h"
#include "tfrecord/sink.h"

struct t2_pool;

/*
 * o->n_records TFR_UNKNOWN_COUNT with TFR_N_SHARDS: they are counted first where that is cheap.
 * Both CRCs of every record are checked; damage ends it with nothing written.  An output may be one
 * of the inputs. report may be NULL, else it is released by the caller (also on failure).
 */
T2_MUST_CHECK enum t2_status rec_recompress(const struct tfr_inputs *in,
                                            const struct tfr_sink_options *o, const char *what,
                                            struct t2_pool *pool, struct tfr_sink_report *report,
                                            struct t2_err *err);

#endif
