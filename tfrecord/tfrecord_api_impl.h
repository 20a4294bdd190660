/*
 * tfrecord/tfrecord_api_impl.h - what the sources behind tfrecord_api.h share.
 */
#ifndef TFR_TFRECORD_API_IMPL_H
#define TFR_TFRECORD_API_IMPL_H

#include "base/buf.h"
#include "base/err.h"
#include "tfrecord/tfrecord_api.h"

/* The status for the caller; a failure's words are kept for tfrecord_error. */
int tfrecord_api_status(enum t2_status st, const struct t2_err *err);
/* TFRECORD_EUSAGE with these words. */
int tfrecord_api_misuse(const char *what);

T2_MUST_CHECK enum t2_status tfrecord_api_next(struct tfrecord_reader *r, struct t2_slice *rec,
                                               struct t2_err *err);
T2_MUST_CHECK enum t2_status tfrecord_api_get(struct tfrecord_reader *r, uint64_t i,
                                              struct t2_slice *rec, struct t2_err *err);
/* Puts the place of the record that was got last in front of err's words. */
void tfrecord_api_locate(const struct tfrecord_reader *r, struct t2_err *err);

#endif
