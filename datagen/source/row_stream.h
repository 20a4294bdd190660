/*
 * datagen/source/row_stream.h - samples out of the lines of files of a source: what all such
 * streams share.
 *
 * A family supplies a function for one line.  The file is opened when the first sample is asked
 * for.
 */
#ifndef DG_ROW_STREAM_H
#define DG_ROW_STREAM_H

#include "datagen/source/source_files.h"

struct dg_row_stream {
    struct dg_stream base;
    const struct dg_source *source;
    const char *const *members; /* one after the other; NULL of a plain file */
    size_t n_members, at;
    const char *role; /* of the files in the manifest: "rows" */
    int n_header;     /* lines at the start of each file that are passed over */
    const struct dg_options *options;
    struct dg_source_text text;
    struct t2_strs paths;         /* of files so far: origins point to them */
    uint64_t offset;              /* of the current line in its file */
    const void *context;          /* the family's */
    void *state;                  /* the family's, made by it */
    void (*release)(void *state); /* NULL: nothing to do */
    /*
     * Makes a sample of a line (raw, without LF): *sample has its origins already.  T2_EOF: this
     * line gives none.  Texts of the sample must live until the next call.
     */
    enum t2_status (*line)(struct dg_row_stream *s, struct t2_slice line, struct dg_sample *sample,
                           struct t2_err *err);
    /* Another sample of the same line, as long as it gives T2_OK; NULL: there is one at most. */
    enum t2_status (*again)(struct dg_row_stream *s, struct dg_sample *sample);
};

/* Fills in s->base; the rest has been set by the caller, s is allocated by it and owned by the
 * stream. */
void dg_row_stream_init(struct dg_row_stream *s);

/* "'<path>': line <n>: " and the rest, T2_EFORMAT. */
enum t2_status dg_row_fail(const struct dg_row_stream *s, struct t2_err *err, const char *format,
                           ...) T2_PRINTF(3, 4);

/* For describe of streams: one indented line on the file, and its size; fails (after describing)
 * when it is missing. */
T2_MUST_CHECK enum t2_status dg_source_describe(const struct dg_source *source, const char *member,
                                                const char *role, const struct dg_options *options,
                                                struct dg_input_sizes *sizes, struct t2_err *err);

#endif
