/*
 * tfrecord/record_encoder.h - records framed, compressed and written to one file after another.
 *
 * For sink.c; single plain files are written with writer.h.
 */
#ifndef TFR_RECORD_ENCODER_H
#define TFR_RECORD_ENCODER_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "tfrecord/compress.h"

struct t2_out;
struct tfr_encoder;

/* n_threads: for TFR_BGZIP; 0 and 1 are the calling thread alone.  The bytes are the same. */
struct tfr_encoder *tfr_encoder_new(enum tfr_compression compression, int level, int n_threads);
void tfr_encoder_free(struct tfr_encoder *e);

/* What follows goes to out (borrowed until tfr_encoder_end), which remembers failures. */
void tfr_encoder_begin(struct tfr_encoder *e, struct t2_out *out);
void tfr_encoder_add(struct tfr_encoder *e, const void *payload, size_t len_bytes);
/* Bytes as they are, framed before or no records at all. */
void tfr_encoder_write(struct tfr_encoder *e, const void *data, size_t len_bytes);
/* Everything is in out, the compressed stream is complete. */
void tfr_encoder_end(struct tfr_encoder *e);

#endif
