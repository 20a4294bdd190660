/*
 * tfrec/record_key.h - a record as 128 bits that stand for its payload, its Example, or some of its
 * features.
 *
 * SipHash under a random key of this run (base/siphash.h): equal hashes are taken for equal
 * content.
 */
#ifndef REC_RECORD_KEY_H
#define REC_RECORD_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/siphash.h"
#include "base/str.h"
#include "tfrecord/example.h"
#include "tfrecord/example_write.h"
#include "tfrecord/sequence.h"

struct rec_key_options {
    uint8_t sip_key[16];
    bool by_example;         /* equal Examples have equal hashes, however they are written */
    struct t2_strs features; /* only these; any given: by_example */
};

/* Of a thread; zero-initialise, release. */
struct rec_key_scratch {
    struct tfr_example example;
    struct tfr_sequence sequence;
    struct t2_buf canonical, values;
};
void rec_key_scratch_release(struct rec_key_scratch *s);

/*
 * *found is false when the record has none of the features.  T2_EFORMAT when it is no Example but
 * is looked at as one; T2_EUNSUPPORTED for features of a SequenceExample, which by_example alone
 * takes by its bytes.
 */
T2_MUST_CHECK enum t2_status rec_record_key(const struct rec_key_options *o,
                                            struct rec_key_scratch *s, struct t2_slice record,
                                            uint8_t hash[T2_SIPHASH_BYTES], bool *found,
                                            struct t2_err *err);

/* The record's Example in canonical form, or the record itself when it is a SequenceExample or no
 * Example; borrowed until the next call. */
struct t2_slice rec_canonical(struct rec_key_scratch *s, struct t2_slice record);

#endif
