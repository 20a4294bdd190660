/*
 * datagen/stream.h - the samples of one split, one after the other.
 *
 * A stream only finds its samples; cleaning, checking and encoding them is done by other threads
 * (sample_batch.h).  Kinds here: line by line from pairs of text files, and from TSV files.
 */
#ifndef DG_STREAM_H
#define DG_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "datagen/input_sizes.h"
#include "datagen/problem.h"

/* The origin of a text, for messages; paths are borrowed for the life of the stream. */
struct dg_origin {
    const char *path; /* NULL for text that a program made */
    uint64_t line;    /* from 1 */
    uint64_t offset;  /* of the line's first byte in the (uncompressed) file */
};

/* One sample, zeroed before it is filled in; texts are borrowed until the next call. */
struct dg_sample {
    struct t2_slice inputs, targets, context;
    struct dg_origin inputs_origin, targets_origin;
    const char *drop; /* why it is left out (static text); NULL: it is not */
    /* The content of a side that is no text: class labels, symbols; stored as they are, no EOS
     * added. Borrowed as the texts are. */
    const int64_t *numbers[DG_N_SIDES];
    size_t n_numbers[DG_N_SIDES];
    const float *reals[DG_N_SIDES]; /* likewise floats */
    size_t n_reals[DG_N_SIDES];
    int32_t shard; /* 1 + number of its shard within the split, modulo how many there are; 0: the
                      one in turn */
};

/* An input file that was read to its end. */
struct dg_input_file {
    char *path;
    const char *role; /* "inputs", "targets", "pairs" */
    uint64_t bytes, lines;
    char sha256[65];
};
struct dg_input_files {
    struct dg_input_file *items;
    size_t n, capacity;
};
void dg_input_files_add(struct dg_input_files *l, const char *path, const char *role,
                        uint64_t bytes, uint64_t lines, const char sha256[65]);
void dg_input_files_release(struct dg_input_files *l);

struct dg_drops;
struct dg_stream {
    /* T2_OK, T2_EOF, or an error that names the file.  One caller at a time. */
    enum t2_status (*next)(struct dg_stream *s, struct dg_sample *sample, struct t2_err *err);
    void (*free)(struct dg_stream *s);
    /* Tells its sources, a line each, and their sizes (input_sizes.h); fails when one is missing.
     * NULL: there is nothing to tell. */
    enum t2_status (*describe)(struct dg_stream *s, struct dg_input_sizes *sizes,
                               struct t2_err *err);
    bool is_clean;        /* texts are valid, stripped, without CR: made by a program */
    bool keep_blanks;     /* cleaning leaves blanks at the ends: the original reads bytes, or cuts
                             columns */
    bool drop_blank;      /* a sample with a blank side is left out (and reported) */
    size_t batch_samples; /* most samples that wait together, of large ones; 0: as many as usual */
    /* Files read to their end so far; filled in only after dg_stream_hash_on. */
    bool hash_on;
    struct dg_input_files files;
    struct dg_drops *left_out; /* by an earlier step, before these samples; known as files are;
                                  NULL: nothing. Owned */
};

void dg_stream_free(struct dg_stream *s); /* NULL is allowed */
/* s->describe, if there is one. */
enum t2_status dg_stream_describe(struct dg_stream *s, struct dg_input_sizes *sizes,
                                  struct t2_err *err);
/* For describe: a line about a text file, and its size.  *first becomes the failure of a file that
 * is missing when it is T2_OK so far. */
void dg_describe_file(const char *path, const char *role, struct dg_input_sizes *sizes,
                      struct t2_err *first);

enum dg_format {
    DG_FORMAT_LINES, /* text files, line by line */
    DG_FORMAT_TSV,   /* columns between tabs, no quotes */
    DG_FORMAT_CSV,   /* RFC 4180 (base/csv.h) */
    DG_FORMAT_JSONL  /* a JSON object a line */
};

/*
 * Which columns are wanted.  TSV and CSV: numbers from 1, or names that stand in the first row,
 * which is no sample then.  JSON lines: members; "translation.en" is a member of a member.
 */
struct dg_columns {
    enum dg_format format;
    bool by_number;
    bool lists; /* of values: a side is its cells, and the items of lists in JSON, with tabs between
                 */
    size_t n, n_inputs; /* of all; of the inputs, which come first */
    char **names;       /* (n) */
    size_t *numbers;    /* (n): from 0 */
};
enum { DG_MOST_COLUMNS = 1 << 16 };

/*
 * Parses the value of --tsv, --csv, --jsonl ("2,5", "en,de", "translation.en,translation.de"), n
 * columns. T2_EUSAGE when it names another number of columns, or mixes numbers and names.
 */
T2_MUST_CHECK enum t2_status dg_columns_parse(const char *flag, const char *value,
                                              enum dg_format format, size_t n, struct dg_columns *c,
                                              struct t2_err *err);
/* The same of lists: "1-3,5:6", "width,height:price", those of the inputs before the colon. */
T2_MUST_CHECK enum t2_status dg_columns_parse_lists(const char *flag, const char *value,
                                                    enum dg_format format, struct dg_columns *c,
                                                    struct t2_err *err);
/* A column more at the end; name is copied. */
void dg_columns_add(struct dg_columns *c, const char *name, size_t number);
void dg_columns_copy(const struct dg_columns *from, struct dg_columns *to);
void dg_columns_release(struct dg_columns *c);

/* The format by the end of a file's name, .gz aside. */
enum dg_format dg_format_of_name(const char *path);

/* One source of text: two files of equal line count, or one table or monolingual file (targets
 * NULL). */
struct dg_text_part {
    char *inputs;
    char *targets;
    char *name; /* for --mix: "news" of "news=a.en,a.de"; NULL: none */
};
/* Zero-initialise. */
struct dg_text_parts {
    struct dg_text_part *items;
    size_t n, capacity;
    bool one_side;             /* samples are targets only: each file is one by itself */
    struct dg_columns columns; /* of all files when its format is not lines; owned */
    uint64_t max_memory;       /* of whose share a line may have (t2_in_limit_line) */
};
void dg_text_parts_add(struct dg_text_parts *l, const char *inputs, const char *targets);
void dg_text_parts_release(struct dg_text_parts *l);

/*
 * Parses the value of --train, --dev, --test: files separated by ',' or ';', two by two, but a file
 * that ends in .tsv, .csv, .jsonl (or that and .gz), any file when parts->columns or one_side is
 * set, by itself: "a.en,a.de;b.tsv;c.en,c.de".  "news=a.en,a.de" names a part and those behind it,
 * until the next name.
 * '\' takes the next character literally, so that a comma may be part of a name.  T2_EUSAGE when a
 * file is left without partner; `flag` is for the message.
 */
T2_MUST_CHECK enum t2_status dg_text_parts_parse(const char *flag, const char *value,
                                                 struct dg_text_parts *parts, struct t2_err *err);
/*
 * Puts the files that match (base/match_files.h) in the place of each pattern of names,
 * "dir/?.tsv"; of two patterns in the place of a pair, the pairs of them in the order of their
 * names.  T2_ENOTFOUND: no file matches; T2_EUSAGE: not as many inputs as targets.
 */
T2_MUST_CHECK enum t2_status dg_text_parts_expand(struct dg_text_parts *parts, struct t2_err *err);
/* The parts of one name; NULL: all.  Owned by the caller. */
void dg_text_parts_copy(const struct dg_text_parts *from, const char *name,
                        struct dg_text_parts *to);

/*
 * Lines of the parts, in order.  Text conventions of spec t2t-datagen.md §4.1, §5.5: LF ends a
 * line; blank lines of a pair are samples.  A TSV line has exactly two columns; others are dropped
 * (with their reason), as are rows with a blank side.
 *
 * Pair files of unequal length: T2_EFORMAT with both names, both counts and the first line without
 * a partner.  keep_bom: U+FEFF at the start of a file is text, as in the original; otherwise it is
 * skipped.  parts are copied.
 *
 * Without columns set, .tsv files have exactly two columns, .csv files have the texts in their
 * first two, and .jsonl files in members "inputs" and "targets" ("targets" alone when one_side is
 * set).
 */
T2_MUST_CHECK enum t2_status dg_text_stream_new(const struct dg_text_parts *parts, bool keep_bom,
                                                struct dg_stream **stream, struct t2_err *err);

#endif
