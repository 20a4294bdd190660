/*
 * tfrec/rewrite.h - the flags and the output of commands that write records: filter, project,
 * dedup, sort, shuffle.
 */
#ifndef REC_REWRITE_H
#define REC_REWRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/flags.h"
#include "tfrecord/inputs.h"
#include "tfrecord/sink.h"

struct rec_rewrite_flags {
    const char *output;   /* "file", "base@16" or "-"; NULL: not given */
    const char *compress; /* name of a compression */
    const char *tmp_dir;  /* NULL: beside the output */
    uint64_t max_memory;
    bool json;
};
extern struct rec_rewrite_flags rec_rewrite_given;

/* clang-format off */
#define REC_REWRITE_FLAGS                                                                          \
    {"output", T2_FLAG_STRING, &rec_rewrite_given.output, "FILE",                                  \
     "Where the records go: a file, base@16 for 16 shards, or - for stdout.", NULL},               \
    {"o", T2_FLAG_STRING, &rec_rewrite_given.output, "FILE", "The same.", NULL},                   \
    {"compress", T2_FLAG_STRING, &rec_rewrite_given.compress, "HOW",                               \
     "none, gzip, zlib or bgzip.", NULL}
#define REC_EXTERNAL_FLAGS                                                                         \
    {"max_memory", T2_FLAG_SIZE, &rec_rewrite_given.max_memory, "SIZE",                            \
     "Memory to use; what does not fit goes into temporary files.", NULL},                         \
    {"tmp_dir", T2_FLAG_STRING, &rec_rewrite_given.tmp_dir, "DIR",                                 \
     "Folder of temporary files; default: that of the output. They have no name and do not "       \
     "outlive the "                                                                                \
     "command.", NULL}
/* clang-format on */

/* The sink that the flags describe.  T2_EUSAGE without --output.  n_records may be
 * TFR_UNKNOWN_COUNT. */
T2_MUST_CHECK enum t2_status rec_rewrite_open(uint64_t n_records, struct tfr_sink **sink,
                                              struct t2_err *err);
/* The flags alone, before work whose result rec_rewrite_open would refuse. */
T2_MUST_CHECK enum t2_status rec_rewrite_check_output(struct t2_err *err);
/* Commits when st is T2_OK, else aborts; returns what then is the status. */
T2_MUST_CHECK enum t2_status rec_rewrite_close(struct tfr_sink *sink, enum t2_status st,
                                               struct t2_err *err);
/* The folder of temporary files; owned by the caller. */
char *rec_rewrite_tmp_dir(void);
/* T2_EUSAGE when --max_memory is below the least that works. */
T2_MUST_CHECK enum t2_status rec_rewrite_check_memory(uint64_t least, struct t2_err *err);
/* Adds a record to a sink, the context: for callbacks. */
T2_MUST_CHECK enum t2_status rec_rewrite_put(void *sink, struct t2_slice record,
                                             struct t2_err *err);

/* Bytes of all records with their frames, uncompressed, or 0 when a file is compressed or a pipe.
 */
uint64_t rec_known_bytes(const struct tfr_inputs *in);

/*
 * For commands that read their inputs twice: replaces those that cannot be read twice (the standard
 * input, pipes) by a temporary copy.  *held keeps it; released by rec_held_free after the last use.
 */
struct rec_held;
T2_MUST_CHECK enum t2_status rec_hold_pipes(struct tfr_inputs *in, const char *tmp_dir,
                                            struct rec_held **held, struct t2_err *err);
/* The path for people: "-" for such a copy. */
const char *rec_held_name(const char *path);
void rec_held_free(struct rec_held *held);

#endif
