/*
 * tfrec/commands.h - the list of commands, for tfrec_main.c.
 */
#ifndef REC_COMMANDS_H
#define REC_COMMANDS_H

#include "tfrec/command.h"

/* looking */
extern const struct rec_command rec_cmd_count;

/* understanding */
extern const struct rec_command rec_cmd_schema;

/* checking, repairing */

/* indexing, cutting, joining */

/* choosing, ordering */

/* other formats */

/* editing a finished set */

/* other payloads */

/* Grouped by headings; ends with an entry whose command and heading are NULL. */
struct rec_listed {
    const char *heading; /* of what follows; command is then NULL */
    const struct rec_command *command;
};
extern const struct rec_listed rec_commands[];

const struct rec_command *rec_find_command(const char *name); /* NULL when unknown */

#endif
