/*
 * tfrecord/record_index.h - indexes beside a record file: record N in one seek.
 *
 * Two kinds.  "<file>.idx" is DALI's and the tfrecord package's: one line a record, "<offset>
 * <bytes of the whole record>".  "<file>.tfri" is ours: offsets and lengths, values of chosen
 * features as columns, what the data file looked like, all under a CRC (layout in docs/formats.md).
 * Offsets are those of the uncompressed bytes; of a block-gzip file the binary index also knows
 * where each block starts.
 */
#ifndef TFR_RECORD_INDEX_H
#define TFR_RECORD_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "tfrecord/example.h"

/* A feature of every record, for `filter` without reading the records: the length of its list, and
 * its first value where there is one. */
struct tfr_index_column {
    char *name;
    enum tfr_kind
        kind; /* TFR_INT64 or TFR_FLOAT; TFR_BYTES has lengths only; TFR_NONE: always absent */
    const uint32_t
        *counts;         /* number of values in record i; UINT32_MAX: the record has no such list */
    const int64_t *ints; /* first value, 0 when there is none; NULL for other kinds */
    const float *floats;
};

struct tfr_index {
    uint64_t n_records;
    const uint64_t *offsets; /* n_records + 1: where record i starts; the last is the end */
    struct tfr_index_column *columns;
    size_t n_columns;
    struct tfr_index_private *private_;
};

/* Why an index may not be used. */
enum tfr_index_state { TFR_INDEX_FRESH, TFR_INDEX_ABSENT, TFR_INDEX_STALE, TFR_INDEX_DAMAGED };

char *tfr_index_path(const char *data_path); /* "<file>.tfri"; owned by the caller */
char *tfr_idx_path(const char *data_path);   /* "<file>.idx" */

/*
 * Opens the binary index of a data file, else the .idx, when it is fresh: size and time of the data
 * file are those it was made for (for .idx, which remembers neither: not older than the data, and
 * its last line ends where the data ends).  *ix is NULL unless *state is TFR_INDEX_FRESH; why (may
 * be NULL, at least 256 bytes) then says in words what is wrong.  Every number in it is checked
 * before it is believed.  Fails only when the system does.
 */
T2_MUST_CHECK enum t2_status tfr_index_open(const char *data_path, struct tfr_index **ix,
                                            enum tfr_index_state *state, char *why,
                                            size_t why_bytes, struct t2_err *err);
void tfr_index_free(struct tfr_index *ix);
const struct tfr_index_column *tfr_index_column(const struct tfr_index *ix, const char *name);

/* The text index alone, in memory: offsets of n records and their end (released with t2_free).
 * T2_EFORMAT names the line: not two numbers, or records that do not follow each other from 0 on.
 */
T2_MUST_CHECK enum t2_status tfr_idx_parse(const char *text, size_t len_bytes, const char *origin,
                                           uint64_t **offsets, uint64_t *n_records,
                                           struct t2_err *err);

struct t2_pool;
struct tfr_index_build {
    const char *data_path;
    const struct t2_strs *with; /* names of features for columns; may be NULL */
    bool binary, dali;          /* which kinds to write; .idx not for compressed files */
};
/*
 * Reads the data file (both CRCs checked) and writes its index; what was there is replaced. Memory:
 * 12 bytes for each record and column, offsets go to the file as they come.
 *
 * T2_EFORMAT: damage, a last record cut short, a feature that is ints here and floats there, a file
 * that changed while it was read; T2_EUNSUPPORTED: .idx of a compressed file.  Nothing is written
 * then.
 */
T2_MUST_CHECK enum t2_status tfr_index_build(const struct tfr_index_build *b, struct t2_pool *pool,
                                             uint64_t *n_records, struct t2_err *err);

/*
 * Random access to one data file: plain files and block gzip with a binary index read one place,
 * other compressed files are read from the start up to the record.  Without a fresh index the file
 * is scanned once for offsets.  One handle belongs to one thread.
 */
struct tfr_file;
T2_MUST_CHECK enum t2_status tfr_file_open(const char *path, struct tfr_file **f,
                                           struct t2_err *err);
uint64_t tfr_file_count(const struct tfr_file *f);
/* The index that is used, never NULL; it may have been made in memory. */
const struct tfr_index *tfr_file_index(const struct tfr_file *f);
/* Why an index that is there is not used, in words; "" when one is used or none is there. */
const char *tfr_file_index_trouble(const struct tfr_file *f);
/* Record i; both CRCs are checked.  *rec is borrowed until the next call.  T2_ENOTFOUND when i is
 * too large (says how many there are). */
T2_MUST_CHECK enum t2_status tfr_file_get(struct tfr_file *f, uint64_t i, struct t2_slice *rec,
                                          struct t2_err *err);
void tfr_file_free(struct tfr_file *f);

#endif
