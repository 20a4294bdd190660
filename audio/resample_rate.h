/*
 * audio/resample_rate.h - a signal at another rate: band-limited interpolation by libsamplerate,
 * which is opened when it is first needed (base/library.h).
 */
#ifndef AUD_RESAMPLE_RATE_H
#define AUD_RESAMPLE_RATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* x (n) at rate `from` -> *y (*n_y), owned by the caller (t2_free), at rate `to`; about
 * n * to / from samples.  The rates are at most 256 times each other.  T2_EUNSUPPORTED:
 * libsamplerate is not there. */
T2_MUST_CHECK enum t2_status aud_resample(const float *x, size_t n, int32_t from, int32_t to,
                                          float **y, size_t *n_y, struct t2_err *err);

#endif
