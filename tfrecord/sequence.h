/*
 * tfrecord/sequence.h - tf.train.SequenceExample: the feature lists of one, and how to write one.
 *
 *   SequenceExample { Features context = 1; FeatureLists feature_lists = 2; }
 *   FeatureLists { map<string, FeatureList> feature_list = 1; }
 *   FeatureList { repeated Feature feature = 1; }
 *
 * The context is where an Example has its features, so tfr_example_parse finds it.
 */
#ifndef TFR_SEQUENCE_H
#define TFR_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "tfrecord/example.h"

/* Borrowed from the record's bytes. */
struct tfr_feature_list {
    struct t2_slice name;
    size_t first, n; /* steps[first] ... */
    size_t order;    /* of its entry in the record */
};

/* Zero-initialise, reuse, release. */
struct tfr_sequence {
    bool has_context;
    struct tfr_feature_list *lists; /* ascending by name; the last of equal names was kept */
    size_t n;
    struct tfr_view *steps;
    size_t n_lists_capacity, n_steps, n_steps_capacity;
};

/*
 * Finds the feature lists of a record that tfr_example_parse accepts, and checks every byte of
 * them.
 *
 * *found says whether it has any: a field 2 that is empty or begins with an entry.  An Example may
 * have an unknown field 2: one that is no FeatureLists counts as that, and is not found.  T2_ENOMEM
 * when there is no memory for the views.
 */
T2_MUST_CHECK enum t2_status tfr_sequence_parse(struct tfr_sequence *s, struct t2_slice record,
                                                bool *found, struct t2_err *err);
void tfr_sequence_release(struct tfr_sequence *s);

/* ---- build ---- */

/* One list to write; the names of the steps do not matter. */
struct tfr_steps {
    const char *name;
    const struct tfr_feature *steps;
    size_t n;
};

/* Appends the serialised SequenceExample.  lists are in ascending order of their names, which
 * differ; context as for tfr_example_build, NULL: none. */
void tfr_sequence_build(struct t2_buf *out, const struct tfr_feature *context, size_t n_context,
                        const struct tfr_steps *lists, size_t n_lists);

#endif
