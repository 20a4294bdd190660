/*
 * tfrec/class_names.h - the names of classes that records have as numbers.
 *
 * Sources; the first that has a number wins:
 *
 *   1  the manifest that lists an input: jpeg-to-tfrecord's labels (from 1), t2t-datagen's classes
 *      (from 0)
 *   2  the records: image/class/text, else image/class/synset, beside image/class/label
 *   3  beside an input: <feature>.labels.txt, as TensorFlow Datasets has it (from 0)
 *
 * A number with two different names in one source has none.
 */
#ifndef REC_CLASS_NAMES_H
#define REC_CLASS_NAMES_H

#include <stdint.h>

#include "base/buf.h"
#include "tfrecord/inputs.h"
#include "tfrecord/record_stream.h"

struct rec_class_names;

/* What manifests and files beside the inputs say; those that cannot be read say nothing. */
struct rec_class_names *rec_class_names_new(const struct tfr_inputs *in);
void rec_class_names_free(struct rec_class_names *c); /* NULL is allowed */
/* What the records of a batch say. */
void rec_class_names_see(struct rec_class_names *c, const struct tfr_batch *b);
/* NULL: it has none.  c may be NULL.  Borrowed until the next call of another function. */
const char *rec_class_name(const struct rec_class_names *c, struct t2_slice feature, int64_t value);

#endif
