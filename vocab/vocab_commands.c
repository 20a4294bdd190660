/*
 * vocab/vocab_commands.c - all commands of t2t-vocab, in the order of --help.
 */
#include "vocab/vocab_commands.h"

#include <stddef.h>

/* clang-format off */
const struct t2_listed_command voc_commands[] = {
    {"Make", NULL},
    {NULL, &voc_cmd_build},
    {NULL, &voc_cmd_count},
    {"Use", NULL},
    {NULL, &voc_cmd_encode},
    {NULL, &voc_cmd_decode},
    {"Look", NULL},
    {NULL, &voc_cmd_show},
    {NULL, &voc_cmd_lookup},
    {NULL, &voc_cmd_diff},
    {NULL, &voc_cmd_verify},
    {NULL, &voc_cmd_stats},
    {"Carry elsewhere", NULL},
    {NULL, &voc_cmd_convert},
    {NULL, NULL},
};
/* clang-format on */
