/*
 * train/input/reference_records.h - the stream of records of --order=reference, before batches or
 * packing.
 *
 * Files in an order that is drawn once; records of eight files in turn; a shuffle buffer of 1024
 * records, filled again every epoch.  See reference.h.
 */
#ifndef IN_REFERENCE_RECORDS_H
#define IN_REFERENCE_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "train/input/index.h"

enum { IN_REFERENCE_CYCLE = 8, IN_REFERENCE_RECORDS = 1024 };
/* Streams of T2_RNG_ORDER, step 0 (records: step = epoch); apart from those of order.c, whose index
 * is 0. */
enum { IN_REFERENCE_FILES = 1, IN_REFERENCE_SHUFFLE, IN_REFERENCE_SKIP, IN_REFERENCE_BATCHES };

/* Samples at .. end - 1 of the index, that one file still has in this epoch. */
struct in_reference_range {
    uint64_t at, end;
};

struct in_reference_records {
    const struct in_index *index; /* borrowed */
    uint64_t seed;
    /* (n_files) in the order of this run; those without samples left out */
    struct in_reference_range *files;
    size_t n_files;
    uint64_t n_first; /* samples of the first file by name */
    uint64_t epoch;
    /* interleave: files that are read in turn */
    struct in_reference_range open[IN_REFERENCE_CYCLE];
    int n_open, turn;
    size_t next_file; /* to be opened */
    /* shuffle: numbers of samples, of which one is drawn and replaced by the next */
    uint64_t buffer[IN_REFERENCE_RECORDS];
    uint32_t n_buffer;
    struct t2_rng rng;
};

/* index has samples and is in the order of its files. */
void in_reference_records_init(struct in_reference_records *r, const struct in_index *index,
                               uint64_t seed);
void in_reference_records_release(struct in_reference_records *r);
/* The next sample of the epoch; false behind its last, and the epoch behind begins. */
bool in_reference_records_next(struct in_reference_records *r, uint64_t *sample);
void in_reference_records_rewind(struct in_reference_records *r);

#endif
