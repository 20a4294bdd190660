/*
 * tfrec/schema_formats.h - a schema in the words of other programs.
 */
#ifndef REC_SCHEMA_FORMATS_H
#define REC_SCHEMA_FORMATS_H

#include "tfrec/schema.h"
#include "tfrecord/inputs.h"

/* For people.  in: for the names of files. */
void rec_schema_print_table(const struct rec_schema *s, const struct tfr_inputs *in,
                            struct t2_buf *out);
/* Which features have different kinds in different records, and what was not looked at: a line
 * each; nothing when all is well. */
void rec_schema_print_disagreements(const struct rec_schema *s, const struct tfr_inputs *in,
                                    struct t2_buf *out);

/* schema.pbtxt of TensorFlow Metadata (TFX, TFDV, TFT): name, type, presence, shape or value_count,
 * int_domain, image_domain. */
void rec_schema_print_pbtxt(const struct rec_schema *s, struct t2_buf *out);

/* features.json of TensorFlow Datasets.  What is always there once is a Scalar, Text or Image, what
 * is always there n times a Tensor, everything else a Sequence. */
void rec_schema_print_tfds(const struct rec_schema *s, struct t2_buf *out);

/* Python: the dictionary for tf.io.parse_example, FixedLenFeature where every record has as many
 * values and VarLenFeature elsewhere.  Looks into the first file for its compression. */
T2_MUST_CHECK enum t2_status rec_schema_print_parsing_spec(const struct rec_schema *s,
                                                           const struct tfr_inputs *in,
                                                           struct t2_buf *out, struct t2_err *err);

/* A name between double quotes, as Python and protobuf's text format read it. */
void rec_quote_name(const char *name, size_t len_bytes, struct t2_buf *out);

#endif
