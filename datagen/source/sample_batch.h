/*
 * datagen/source/sample_batch.h - samples in batches, as they travel through the threads.
 *
 * The producer copies raw samples into a batch (dg_batcher_fill), a worker cleans and checks them
 * (dg_batch_clean).
 */
#ifndef DG_SAMPLE_BATCH_H
#define DG_SAMPLE_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "datagen/source/drop_report.h"
#include "datagen/stream.h"

/* A range of bytes of a batch. */
struct dg_range {
    size_t offset, len_bytes;
};

struct dg_batch_item {
    struct dg_range text[DG_N_TEXTS];
    /* bytes of int64s and floats, not aligned */
    struct dg_range numbers[DG_N_SIDES], reals[DG_N_SIDES];
    int32_t shard;
    const char *inputs_path, *targets_path; /* borrowed from the stream */
    uint64_t inputs_line, inputs_offset, targets_line, targets_offset;
    const char *drop; /* why it is left out; NULL: kept */
    size_t excerpt;   /* of a dropped one, after dg_batch_clean: where it is in `excerpts` */
};

/* Zero-initialise; reusable; dg_batch_release gives the memory back. */
struct dg_batch {
    struct t2_buf text[DG_N_TEXTS]; /* in the order of the items, each with a line feed behind it */
    struct t2_buf values;
    struct dg_batch_item *items;
    size_t n, capacity;
    bool has_feeds;      /* a text holds a line feed itself: texts are not lines */
    uint64_t first_case; /* number of the first item among the samples of its split */
    bool is_clean, keep_blanks, drop_blank;
    enum dg_invalid invalid;
    size_t n_kept;       /* set by dg_batch_clean: items without drop */
    uint64_t n_replaced; /* texts that had bytes which are not UTF-8 */
    struct t2_buf scratch;
    struct t2_buf
        excerpts; /* what was dropped, in words (dg_excerpt_put), each with NUL behind it */
};
void dg_batch_release(struct dg_batch *b);
struct t2_slice dg_batch_text(const struct dg_batch *b, const struct dg_batch_item *item,
                              enum dg_side_index side);
struct t2_slice dg_batch_values(const struct dg_batch *b, const struct dg_range *range);
/* The texts of the items from the first up to item n (b->n: all) as lines, those that are dropped
 * left out; after dg_batch_clean, unless has_feeds. */
struct t2_slice dg_batch_lines(const struct dg_batch *b, enum dg_side_index side, size_t n);

/* Cuts a stream into batches. */
struct dg_batcher {
    struct dg_stream *stream; /* borrowed */
    uint64_t max_cases;       /* 0: no limit */
    enum dg_invalid invalid;
    bool drain;       /* read the stream to its end although max_cases is reached */
    uint64_t n_cases; /* samples given so far */
    struct dg_sample pending;
    bool has_pending;
};

/* Fills b (emptied first) with the next samples; T2_EOF when there is none.  Looks for SIGINT. */
T2_MUST_CHECK enum t2_status dg_batcher_fill(struct dg_batcher *r, struct dg_batch *b,
                                             struct t2_err *err);

/*
 * Cleans every text in place: CR deleted, blanks stripped from both ends (spec §4.1) unless
 * keep_blanks.  Bytes that are not UTF-8 are T2_EFORMAT with file, line and offset of the first, or
 * drop the sample, or become U+FFFD, one for each maximal part of a broken sequence, as b->invalid
 * says.
 */
T2_MUST_CHECK enum t2_status dg_batch_clean(struct dg_batch *b, struct t2_err *err);

/* Adds the dropped samples of a cleaned batch, in order. */
void dg_drops_add_batch(struct dg_drops *d, const struct dg_batch *b);

#endif
