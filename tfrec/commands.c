/*
 * tfrec/commands.c - all commands of tfrec, in the order of --help.
 */
#include "tfrec/commands.h"

#include <string.h>

/* clang-format off */
const struct rec_listed rec_commands[] = {
    {"Look", NULL},
    {NULL, &rec_cmd_count},
    {"Understand", NULL},
    {NULL, &rec_cmd_schema},
    {"Check and repair", NULL},
    {"Index, cut and join", NULL},
    {"Choose and order", NULL},
    {"Convert", NULL},
    {"Edit a finished data set", NULL},
    {"Other payloads", NULL},
    {NULL, NULL},
};
/* clang-format on */

const struct rec_command *rec_find_command(const char *name)
{
    for (const struct rec_listed *l = rec_commands; l->heading || l->command; l++) {
        if (l->command && strcmp(l->command->name, name) == 0)
            return l->command;
    }
    return NULL;
}
