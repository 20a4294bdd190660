/*
 * tfrecord/sink.h - where rewritten records go: one file or many shards, plain or compressed.
 *
 * Files appear under their names on commit, shards all together; until then each is
 * "<name>.incomplete". Nothing depends on time or threads: the same records and options give the
 * same bytes.  Memory: a few MiB, and 200 bytes a shard.
 */
#ifndef TFR_SINK_H
#define TFR_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "tfrecord/compress.h"

/* How records are cut into shards. */
enum tfr_cut {
    TFR_ONE_FILE,   /* output is the file; "-" is stdout */
    TFR_N_SHARDS,   /* n_shards, record i of n goes to shard i * n_shards / n: even to one record */
    TFR_BY_BYTES,   /* a shard ends before it would exceed limit bytes (uncompressed, framed) */
    TFR_BY_RECORDS, /* limit records in each, fewer in the last */
};

struct tfr_sink_options {
    const char *output; /* file; for shards the stem: "dir/base" gives dir/base-00000-of-00010 */
    enum tfr_cut cut;
    int n_shards;
    uint64_t limit;
    /* Records that will come, or TFR_UNKNOWN_COUNT (inputs.h): then TFR_N_SHARDS holds them in a
     * temporary file beside the output before it cuts. */
    uint64_t n_records;
    enum tfr_compression compression;
    int level;     /* of compression, 1 ... 9; 0 = 6 */
    int n_threads; /* for TFR_BGZIP: compress on so many threads; 0 = the caller's alone */
    bool unhashed; /* leaves sha256 of the report "": writing is faster */
};

struct tfr_sink_file {
    char *path;
    uint64_t n_records, bytes; /* bytes: size of the file */
    char sha256[65];
};
struct tfr_sink_report {
    struct tfr_sink_file *files;
    size_t n;
    uint64_t n_records;
};
void tfr_sink_report_release(struct tfr_sink_report *r);

/* What "--output" says: "base@16" is 16 shards, else one file.  Fills output (a copy without "@16",
 * owned by the caller), cut and n_shards. */
T2_MUST_CHECK enum t2_status tfr_sink_parse_output(const char *text, char **output,
                                                   struct tfr_sink_options *o, struct t2_err *err);

struct tfr_sink;
/* T2_EUSAGE when shards of the same name but another total are there (with TFR_BY_BYTES and
 * TFR_BY_RECORDS the commit finds that): two sets would be mixed. */
T2_MUST_CHECK enum t2_status tfr_sink_new(const struct tfr_sink_options *o, struct tfr_sink **s,
                                          struct t2_err *err);
/* Adds one record.  A failure is remembered, and reported by commit; tfr_sink_status asks
 * earlier. */
void tfr_sink_add(struct tfr_sink *s, const void *payload, size_t len_bytes);
/* Adds n_records that are framed already (header, payload, CRC; all sound), one after another. */
void tfr_sink_add_frames(struct tfr_sink *s, struct t2_slice frames, uint64_t n_records);
enum t2_status tfr_sink_status(const struct tfr_sink *s, struct t2_err *err);
/* Makes all files appear; releases s, also on failure: then none appears that was not there. report
 * may be NULL, else it is released by the caller (also on failure). */
T2_MUST_CHECK enum t2_status tfr_sink_commit(struct tfr_sink *s, struct tfr_sink_report *report,
                                             struct t2_err *err);
void tfr_sink_abort(struct tfr_sink *s); /* NULL is allowed */

#endif
