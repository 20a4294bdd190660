/*
 * tfrec/cut_flags.h - the flags of split, merge and reshard: where records go and how they are cut.
 */
#ifndef REC_CUT_FLAGS_H
#define REC_CUT_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/flags.h"
#include "tfrecord/inputs.h"
#include "tfrecord/sink.h"

/* What was given on the command line. */
struct rec_cut_flags {
    const char *output;
    const char *compress;
    int64_t level;
    int64_t shards, records;
    uint64_t shard_size;
    bool json;
};
extern struct rec_cut_flags rec_cut_given;

/* clang-format off */
#define REC_OUTPUT_FLAGS(meta, help)                                                               \
    {"output", T2_FLAG_STRING, &rec_cut_given.output, meta, help, NULL},                           \
    {"o", T2_FLAG_STRING, &rec_cut_given.output, meta, "The same as --output.", NULL},             \
    {"compress", T2_FLAG_STRING, &rec_cut_given.compress, "HOW",                                   \
     "none, gzip, zlib, or bgzip (block gzip: gzip members of 64 KiB, any record in one "          \
     "seek; on all "                                                                               \
     "threads).", NULL},                                                                           \
    {"level", T2_FLAG_INT, &rec_cut_given.level, "N", "Of compression, 1 (fast) to 9 "             \
     "(small); 0 is 6.", NULL},                                                                    \
    {"json", T2_FLAG_BOOL, &rec_cut_given.json, NULL,                                              \
     "Print what was written as one JSON object, with the SHA-256 of each file.", NULL}

#define REC_CUT_FLAGS                                                                              \
    {"shards", T2_FLAG_INT, &rec_cut_given.shards, "N",                                            \
     "N files of equally many records (to one).", NULL},                                           \
    {"shard_size", T2_FLAG_SIZE, &rec_cut_given.shard_size, "SIZE",                                \
     "A file ends before it would become larger, as 100M; before compression.", NULL},             \
    {"records", T2_FLAG_INT, &rec_cut_given.records, "N",                                          \
     "N records in each file, fewer in the last.", NULL}
/* clang-format on */

/*
 * Copies the records of the command line's INPUTs as the flags say, prints the report.  must_cut:
 * one of
 * --shards, --shard_size, --records (or -o base@N) has to be given; else none may be.
 */
T2_MUST_CHECK enum t2_status rec_cut_run(const struct tfr_inputs *in, bool must_cut,
                                         const char *what, struct t2_err *err);

/* "x-train" of "dir/x-train-00003-of-00010"; owned by the caller. */
char *rec_stem_of_input(const struct tfr_inputs *in);

#endif
