/*
 * datagen/source/filter_stream.h - leaves out samples that would spoil the training, with the
 * reason.
 */
#ifndef DG_FILTER_STREAM_H
#define DG_FILTER_STREAM_H

#include "datagen/stream.h"

/* Which text two samples must share to be duplicates. */
enum dg_duplicates {
    DG_DUPLICATES_KEPT,
    DG_DUPLICATES_OF_PAIRS,
    DG_DUPLICATES_OF_INPUTS,
    DG_DUPLICATES_OF_TARGETS
};

/* Zero: nothing is left out.  Lengths are code points of the stripped text, of each side that there
 * is. */
struct dg_filters {
    int64_t min_length, max_length; /* 0: any */
    double max_ratio;               /* longer side to shorter side; 0: any */
    enum dg_duplicates duplicates;  /* all but the first are left out */
    /* Unicode scripts, "Latin" or "Han+Hiragana+Katakana": at least half of the letters of the side
     * must be of them; a text without letters passes.  NULL: any. */
    const char *script[DG_N_SIDES];
    int64_t max_tokens; /* ids of a side with its EOS: dg_problem.record.finish checks it */
};

/* Parses "none", "pairs", "inputs", "targets"; T2_EUSAGE otherwise. */
T2_MUST_CHECK enum t2_status dg_duplicates_parse(const char *value, enum dg_duplicates *duplicates,
                                                 struct t2_err *err);

/* Does any filter look at the texts? */
bool dg_filters_any(const struct dg_filters *f);
/* T2_EUSAGE when a number or a script makes no sense. */
T2_MUST_CHECK enum t2_status dg_filters_check(const struct dg_filters *f, struct t2_err *err);

/* Takes ownership of from; f is borrowed.  has_inputs false: samples are targets only. */
struct dg_stream *dg_filter_stream_new(struct dg_stream *from, const struct dg_filters *f,
                                       bool has_inputs);

/* The same samples once more, from the start. */
struct dg_again {
    enum t2_status (*open)(const void *context, struct dg_stream **stream, struct t2_err *err);
    void *context; /* owned: t2_free */
};
/* Of a stream that dg_filter_stream_new made: when the texts of the duplicates filter are more than
 * max_bytes, the samples are read once more, and their hashes go to scratch files in the folder of
 * `beside` (copied).  Takes ownership of again's context. */
void dg_filter_stream_limit(struct dg_stream *filtered, uint64_t max_bytes, const char *beside,
                            struct dg_again again);

#endif
