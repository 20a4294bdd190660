/*
 * tfrec/sample.h - some records drawn at random, the same for any number of threads.
 *
 * Record i is drawn when the hash of (seed, i) is among the smallest: a fair sample whose size need
 * not be known in relation to the set, kept in the order of the records.
 */
#ifndef REC_SAMPLE_H
#define REC_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Longer payloads are drawn without their bytes. */
enum { REC_SAMPLE_RECORD_BYTES = 4 << 20 };

struct rec_drawn {
    uint64_t hash;
    uint64_t number;  /* over all files */
    size_t file;      /* which input */
    uint64_t in_file; /* number in that file */
    uint64_t bytes;   /* of the payload */
    uint8_t *payload; /* NULL: longer than REC_SAMPLE_RECORD_BYTES */
};

struct rec_sample {
    struct rec_drawn *items; /* by hash; by number after rec_sample_finish */
    size_t n, wanted;
    uint64_t seed;
};

void rec_sample_init(struct rec_sample *s, size_t wanted, uint64_t seed);
void rec_sample_release(struct rec_sample *s);
/* Shows it a record; at->payload is set when it is drawn (data is copied). */
void rec_sample_see(struct rec_sample *s, struct rec_drawn at, struct t2_slice data);
/* Puts the `first` smallest hashes in front and each of the two parts in the order of the
 * records. */
void rec_sample_finish(struct rec_sample *s, size_t first);

#endif
