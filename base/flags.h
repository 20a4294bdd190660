/*
 * base/flags.h - command lines in the style of the originals (absl).
 *
 * --name=value, --name value, --bool, --nobool, --bool=false; '-' and '_' in names are the same;
 * "--" ends flags; the last one wins; no abbreviations.  One table per tool gives parsing, --help
 * and the documentation check.
 */
#ifndef T2_BASE_FLAGS_H
#define T2_BASE_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum t2_flag_type {
    T2_FLAG_GROUP,
    T2_FLAG_STRING,
    T2_FLAG_OPTION, /* a string that may be left out: --json is --json="" */
    T2_FLAG_LIST,   /* may be given several times */
    T2_FLAG_INT,
    T2_FLAG_DOUBLE,
    T2_FLAG_BOOL,
    T2_FLAG_SIZE
};

/* One row.  `value` points to const char * (borrowed from argv; also T2_FLAG_OPTION), struct
 * t2_strs (T2_FLAG_LIST: every value is added; the tool releases it), int64_t, double, bool or
 * uint64_t; what it holds before parsing is the default and is shown by --help.  A T2_FLAG_GROUP
 * row only has `help`: the heading of the rows that follow. */
struct t2_flag {
    const char *name; /* with underscores, as the original spells it */
    enum t2_flag_type type;
    void *value;
    const char *meta; /* "DIR", "N"; NULL = by type.  See t2_flag_takes_path. */
    const char *help; /* one sentence, wrapped at 80 columns by --help */
    bool *given;      /* set when the flag was on the command line; may be NULL */
};

/* What may be a flag's value, for the shells' completion (completion.h); a list ends with a flag of
 * NULL.  A meta such as "none|layer" says it already. */
struct t2_flag_values {
    const char *flag;
    const char *words;                   /* "gzip zlib none"; may be NULL */
    void (*list)(struct t2_strs *names); /* adds names of a registry; may be NULL */
};

/* A flag of the originals that has no row: a command line of theirs is taken as it is.  With `off`
 * NULL it is passed over with a warning that says why.  Otherwise it is refused, unless its value
 * is one of the words of `off`, which change nothing ("", and "None" always do); `why` is what to
 * do instead. */
struct t2_foreign {
    const char *name; /* with underscores */
    bool is_bool;
    const char *off; /* "false", "0 1", "" */
    const char *why; /* "there is no TPU" */
};

enum { T2_FOREIGN_LISTS = 3 };

struct t2_tool {
    const char *name;     /* "t2t-datagen" */
    const char *usage;    /* after "usage: t2t-datagen " */
    const char *summary;  /* one sentence */
    const char *examples; /* two lines, verbatim */
    const struct t2_flag *flags;
    size_t n_flags;
    const struct t2_flag_values *values; /* may be NULL */
    const char *local_flags; /* "t2t_usr_dir x": paths that only a local file will do for; may be
                                NULL */
    const struct t2_foreign *foreign[T2_FOREIGN_LISTS]; /* lists that end with a name of NULL, or
                                                           NULL; a row of `flags` goes before all,
                                                           the first before the others */
    void (*more)(struct t2_buf *out); /* what the tool adds to --help=markdown; may be NULL */
    bool takes_words;                 /* positional arguments are words; else they are paths */
};

/* Whether the value is a path.  The meta that --help prints decides: one with the word FILE, DIR,
 * INPUT, OUT, BASE, CORPUS or PREFIX.  Paths of unknown schemes (remote_path.h) are refused there
 * and in positional arguments, and remote ones in local_flags. */
bool t2_flag_takes_path(const struct t2_flag *f);

/* Parses argv[1..].  --help, --help=markdown (the tables of docs/flags.md),
 * --version and --completion=SHELL print to stdout and exit 0; the
 * common flags --quiet, --verbosity=LEVEL and --num_threads=N (see pool.h) are understood by every
 * tool and need no row.  Positional arguments go to *rest (items owned by the list).  Fails with
 * T2_EUSAGE; an unknown flag's message names the nearest one.  T2_EUNSUPPORTED: a remote path that
 * will not do. */
T2_MUST_CHECK enum t2_status t2_flags_parse(const struct t2_tool *tool, int argc, char **argv,
                                            struct t2_strs *rest, struct t2_err *err);

/* From now on t2_flags_parse does not parse: it hands over the table and fails with T2_EUSAGE.  For
 * a tool of several commands, which calls each once to learn its flags.  NULL ends it. */
typedef void (*t2_flags_see)(void *context, const struct t2_tool *tool);
void t2_flags_collect(t2_flags_see see, void *context);

/* The value of the common flag --num_threads (0 = not given). */
int t2_flags_num_threads(void);
bool t2_flags_quiet(void);

/* "a b=c" as the shell would take it back, for manifests.  Owned by the caller. */
char *t2_flags_command_line(int argc, char **argv);

#endif
