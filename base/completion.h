/*
 * base/completion.h - what a shell needs to complete a tool's command line, out of its flag tables.
 *
 * `tool --completion=bash` prints a script for that shell; zsh and fish likewise, and `table` the
 * rows themselves.  `make install` puts the scripts where the shells look.
 */
#ifndef T2_BASE_COMPLETION_H
#define T2_BASE_COMPLETION_H

#include "base/buf.h"
#include "base/flags.h"

/* What may be written for a flag's value. */
enum t2_completion_kind {
    T2_COMPLETE_NOTHING, /* a flag without a value */
    T2_COMPLETE_TEXT,
    T2_COMPLETE_WORDS,
    T2_COMPLETE_FILE,
    T2_COMPLETE_FOLDER
};

struct t2_completion_flag {
    char *name; /* without dashes; negated booleans have a row of their own */
    char *meta, *about;
    enum t2_completion_kind kind;
    bool is_optional; /* --name and --name=value */
    struct t2_strs words;
};

struct t2_completion_command {
    char *name, *about; /* name "": the tool itself, which has no commands */
    struct t2_completion_flag *flags;
    size_t n_flags, capacity;
};

struct t2_completion {
    const char *tool; /* borrowed */
    struct t2_completion_command *commands;
    size_t n, capacity;
};

/* Adds a command with the flags of its table and those of every tool; strings are copied.  values
 * may be NULL. */
void t2_completion_add(struct t2_completion *c, const char *name, const char *about,
                       const struct t2_tool *tool, const struct t2_flag_values *values);
void t2_completion_release(struct t2_completion *c);

/* The script; T2_EUSAGE when the shell is another. */
T2_MUST_CHECK enum t2_status t2_completion_write(const struct t2_completion *c, const char *shell,
                                                 struct t2_buf *out, struct t2_err *err);

/* The writers, in completion_<shell>.c. */
void t2_completion_bash(const struct t2_completion *c, struct t2_buf *out);
void t2_completion_zsh(const struct t2_completion *c, struct t2_buf *out);
void t2_completion_fish(const struct t2_completion *c, struct t2_buf *out);

/* "bash" of "--completion=bash"; NULL of any other argument. */
const char *t2_completion_asked(const char *arg);

#endif
