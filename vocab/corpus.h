/*
 * vocab/corpus.h - the lines of text of some inputs, in blocks worked on by many threads, in order.
 *
 * An input is a text file, gzip or not, a column of a TSV file, a field of a JSON Lines file, a
 * feature of bytes of a TFRecord file, or "-".  What is a line does not depend on where blocks are
 * cut.
 */
#ifndef VOC_CORPUS_H
#define VOC_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/flags.h"
#include "base/str.h"
#include "tokenizer/vocab_builder.h"

struct t2_pool;

struct voc_corpus {
    struct t2_strs paths;
    int64_t column;       /* from 1; 0: whole lines */
    const char *field;    /* of JSON Lines; "": none */
    const char *feature;  /* of TFRecords; "": the inputs are text */
    bool as_in_files;     /* lines as they stand; else CR deleted and both ends stripped, as the
                             originals read */
    bool is_strict;       /* what is not UTF-8 is an error, also of lines as they stand */
    uint64_t file_budget; /* code points a file; 0 = all (tokenizer/line_sampler.h) */
    enum tok_dialect dialect;
    uint64_t max_memory; /* of whose share a line or record may have; 0: no limit */
    uint64_t bytes;      /* of all files, for progress and plans; set by voc_corpus_open */
};

/* Rows for a tool's flag table: --column, --field, --feature. */
#define VOC_CORPUS_FLAGS(c)                                                                        \
    {"column", T2_FLAG_INT, &(c).column, "N", "TSV input: column N, from 1.", NULL},               \
        {"field",                                                                                  \
         T2_FLAG_STRING,                                                                           \
         &(c).field,                                                                               \
         "NAME",                                                                                   \
         "JSON Lines input: the string of this name in each object.",                              \
         NULL},                                                                                    \
    {                                                                                              \
        "feature", T2_FLAG_STRING, &(c).feature, "NAME",                                           \
            "TFRecord input: each bytes value of this feature is a line.", NULL                    \
    }

/* Lines that follow each other in one input. */
struct voc_block {
    const char *path;
    uint64_t first; /* number of lines[0] in its input, from 0 */
    uint64_t index; /* of the block over all inputs; depends on the text alone */
    struct t2_slice *lines;
    size_t n;
};

struct voc_work {
    size_t result_bytes; /* a zeroed block of the caller's per block in flight, used again */
    enum t2_status (*work)(void *context, const struct voc_block *b, void *result, int worker,
                           struct t2_err *err);
    /* In order, one at a time.  May be NULL. */
    enum t2_status (*consume)(void *context, const struct voc_block *b, void *result,
                              struct t2_err *err);
    void (*release)(void *context, void *result); /* may be NULL */
    void *context;
    const char *what; /* of the progress line; NULL: none */
};

/* Takes args as paths (moved); folders and absent files are errors.  Sets bytes. */
T2_MUST_CHECK enum t2_status voc_corpus_open(struct voc_corpus *c, struct t2_strs *args,
                                             struct t2_err *err);
void voc_corpus_release(struct voc_corpus *c);

/* T2_EFORMAT names the file and line (record) that has no such column, field or feature, or is not
 * UTF-8. */
T2_MUST_CHECK enum t2_status voc_corpus_run(const struct voc_corpus *c, const struct voc_work *w,
                                            struct t2_pool *pool, struct t2_err *err);

#endif
