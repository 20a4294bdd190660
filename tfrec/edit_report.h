/*
 * tfrec/edit_report.h - flags that all editing commands have, and what they print.
 */
#ifndef REC_EDIT_REPORT_H
#define REC_EDIT_REPORT_H

#include "base/flags.h"
#include "tfrec/edit.h"

extern bool rec_edit_dry_run, rec_edit_again, rec_edit_json;

/* Rows for the table of such a command. */
/* clang-format off */
#define REC_EDIT_FLAGS                                                                             \
    {NULL, T2_FLAG_GROUP, NULL, NULL, "editing", NULL},                                            \
    {"dry_run", T2_FLAG_BOOL, &rec_edit_dry_run, NULL,                                             \
     "Say what would change, change nothing.", NULL},                                              \
    {"again", T2_FLAG_BOOL, &rec_edit_again, NULL,                                                 \
     "Do it also when the last edit of the data set was exactly this one.", NULL},                 \
    {"json", T2_FLAG_BOOL, &rec_edit_json, NULL, "Print one JSON object.", NULL}
/* clang-format on */

/* The command as history keeps it: words (borrowed) and flags with a value, without those that
 * change nothing.  flags: names and values in turn, ended by NULL; a value that is NULL or "" is
 * left out. Owned by the caller. */
char *rec_edit_command(const char *command, const char *const *flags, const struct t2_strs *words);

/* What happened, for people or as JSON. */
struct rec_edit_report {
    const char *verb;                     /* "appended", "removed", "changed" */
    uint64_t n;                           /* records so treated */
    const char *split;                    /* NULL: all */
    size_t n_new, n_renamed, n_rewritten; /* shards */
};
/* e may be NULL: there was nothing to do. */
T2_MUST_CHECK enum t2_status rec_edit_print(const struct rec_edit *e,
                                            const struct rec_edit_report *r, struct t2_err *err);

#endif
