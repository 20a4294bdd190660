/*
 * train/input/record.h - from the bytes of one record to the two id sequences of a sample.
 *
 * T2T's preprocess_example and what stands around it (spec t2t-trainer.md §2.3): which feature is
 * which side, truncation, prepended inputs, and the check that every id is in its vocabulary.
 */
#ifndef IN_RECORD_H
#define IN_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "tfrecord/example.h"
#include "train/models/hparams.h"

/* How records become samples. */
struct in_recipe {
    const char *inputs_feature;  /* "inputs"; "targets" for _rev problems; NULL: no inputs */
    const char *targets_feature; /* "targets"; "inputs" for _rev and _copy problems */
    int32_t inputs_vocab, targets_vocab; /* number of ids */
    int32_t max_inputs, max_targets;     /* cut to so many ids; 0 = no limit */
    bool prepend;                        /* targets become inputs, 0, targets */
};

/* Fills the limits and `prepend` from the hparams.  T2_EUNSUPPORTED names an hparam that asks for
 * what is not there yet (pack_dataset, split_to_length, split_targets_chunk_length). */
T2_MUST_CHECK enum t2_status in_recipe_set(struct in_recipe *recipe, const struct mdl_hparams *hp,
                                           struct t2_err *err);

/* One sample.  Zero-initialise, reuse, release.  One thread each. */
struct in_sample {
    int32_t *inputs, *targets;
    int32_t inputs_length, targets_length; /* inputs_length 0 when there are none */
    /* private */
    struct tfr_example example;
    int64_t *values;
    size_t values_capacity, inputs_capacity, targets_capacity;
};
void in_sample_release(struct in_sample *s);

/* T2_EFORMAT: the message has neither file nor record, the caller puts them in front. */
T2_MUST_CHECK enum t2_status in_sample_parse(struct in_sample *s, const struct in_recipe *recipe,
                                             struct t2_slice record, struct t2_err *err);

#endif
