/*
 * datagen/source/mix_stream.h - several sources in turn, by weight.
 *
 * The exact order: a source of weight w that has given g samples so far is due at time (g + 1) / w;
 * the source that is due first gives the next sample, of several the first of the list.  Weights 3
 * and 1 give a a a b, a a a b, ...  A source that ends begins again; the mixture ends when every
 * source has been read to its end at least once: the samples of no source are lost, those of the
 * scarce ones are repeated.
 */
#ifndef DG_MIX_STREAM_H
#define DG_MIX_STREAM_H

#include "datagen/stream.h"

enum { DG_MAX_MIX = 64, DG_MAX_WEIGHT = 1000000 };

/* Opens source i; called again when it has ended.  context and options are borrowed for the life of
 * the stream. */
typedef enum t2_status dg_mix_open(const void *context, const struct dg_options *options, size_t i,
                                   struct dg_stream **stream, struct t2_err *err);

/* n sources, at most DG_MAX_MIX, weights 1 .. DG_MAX_WEIGHT.  A source without samples is
 * T2_EFORMAT when it is its turn.  *stream is owned by the caller. */
T2_MUST_CHECK enum t2_status dg_mix_stream_new(dg_mix_open *open, const void *context,
                                               const struct dg_options *options,
                                               const uint32_t *weights, size_t n,
                                               struct dg_stream **stream, struct t2_err *err);

#endif
