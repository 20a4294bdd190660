/*
 * datagen/problems/line_stream.h - samples out of the lines of text files, one file after the
 * other.
 *
 * Lines come as TensorFlow's reader gives them: cut at LF, every CR deleted (spec t2t-datagen.md
 * §4.1).
 */
#ifndef DG_LINE_STREAM_H
#define DG_LINE_STREAM_H

#include "datagen/source/source_files.h"

/* Files to be read: a member of a source, or with '*' or '?' in it all that match, sorted by name.
 * NULL: the source itself. */
struct dg_line_files {
    const struct dg_source *source; /* NULL ends a list */
    const char *member;
};

/* How lines become samples.  Constant. */
struct dg_line_rule {
    size_t state_bytes; /* of the memory that take gets, zeroed at the start */
    /* Takes the next line; NULL when the last file has ended (called until it says false).  true:
     * *sample is filled in, its texts stay valid until the next call. */
    bool (*take)(const void *context, void *state, const struct t2_slice *line,
                 struct dg_sample *sample);
    void (*release)(void *state); /* NULL: nothing to give back */
    bool keep_blanks;             /* as in struct dg_stream */
    bool each_file;               /* NULL comes at the end of every file */
    const char *skipped;          /* no member whose name contains this; NULL: none is skipped */
    size_t n_files;               /* so many must match a pattern; 0: any number */
};

/* files, rule and context are borrowed for the life of the stream; options are copied.  Files are
 * opened when they are read. */
T2_MUST_CHECK enum t2_status dg_line_stream_new(const struct dg_line_files *files,
                                                const struct dg_line_rule *rule,
                                                const void *context,
                                                const struct dg_options *options,
                                                struct dg_stream **stream, struct t2_err *err);

/* " ".join(line.split()), appended. */
void dg_join_words(struct t2_slice line, struct t2_buf *text);
/* Length in code points. */
size_t dg_count_chars(struct t2_slice text);

/* ---- for tables: a problem whose context begins with these ---- */

struct dg_line_problem {
    const struct dg_line_files *files[DG_N_SPLITS]; /* lists; NULL: no such split */
    const struct dg_line_rule *rule;
    int length; /* what rules make of it: words or characters of a sample */
};
/* Functions of struct dg_problem: the rule's context is the struct dg_line_problem. */
T2_MUST_CHECK enum t2_status dg_line_problem_open(const struct dg_problem *p,
                                                  const struct dg_options *options,
                                                  enum dg_split split, struct dg_stream **stream,
                                                  struct t2_err *err);
/* Downloads what files name. */
T2_MUST_CHECK enum t2_status dg_line_problem_prepare(const struct dg_problem *p,
                                                     const struct dg_options *options,
                                                     struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_line_problem_describe(const struct dg_problem *p,
                                                      const struct dg_options *options,
                                                      enum dg_split split,
                                                      struct dg_input_sizes *sizes,
                                                      struct t2_err *err);

/* Common rules. */
/* Lines as they are. */
bool dg_take_line(const void *context, void *state, const struct t2_slice *line,
                  struct dg_sample *sample);
extern const struct dg_line_rule dg_rule_lines;
/* The words of a line, one blank between two; lines without words: nothing, or empty samples. */
extern const struct dg_line_rule dg_rule_words;
extern const struct dg_line_rule dg_rule_words_or_empty;

#endif
