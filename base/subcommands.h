/*
 * base/subcommands.h - a tool of several commands: `tool COMMAND [flags] ARGUMENT...`.
 */
#ifndef T2_BASE_SUBCOMMANDS_H
#define T2_BASE_SUBCOMMANDS_H

#include "base/err.h"
#include "base/flags.h"

struct t2_command {
    const char *name;    /* "count" */
    const char *summary; /* "Counts records and bytes." */
    /* argv[0] is the command's name.  Prints its result to stdout (through t2_out, so that a full
     * disk or a closed pipe is noticed) and everything else to stderr; leaves the error to the
     * caller. T2_EOF: the work was done and found damage or a difference; exit code 1, already
     * reported. */
    enum t2_status (*run)(int argc, char **argv, struct t2_err *err);
};

/* Grouped by headings; a list ends with an entry whose heading and command are NULL. */
struct t2_listed_command {
    const char *heading; /* of what follows; command is then NULL */
    const struct t2_command *command;
};

struct t2_command_tool {
    const char *name;    /* "tfrec" */
    const char *summary; /* one sentence */
    const char *usage;   /* after the command: "[flags] INPUT..." */
    const char *notes;   /* paragraph below the commands, laid out for 80 columns */
    const char *examples;
    const struct t2_listed_command *commands;
    const struct t2_flag_values
        *values;                      /* of all commands' flags; "sort:by" of one.  May be NULL */
    const char *const (*synonyms)[2]; /* other programs' names of commands, and ours; ends with
                                         NULL; may be NULL */
    void (*explain)(
        struct t2_err *err); /* may add the way out to a command's failure; may be NULL */
};

/* NULL when unknown. */
const struct t2_command *t2_find_command(const struct t2_listed_command *list, const char *name);

/* main() of such a tool: --help, --version, `help COMMAND`, unknown commands with the nearest one;
 * returns the exit code. */
int t2_commands_main(const struct t2_command_tool *tool, int argc, char **argv);

#endif
