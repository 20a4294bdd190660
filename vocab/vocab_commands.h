/*
 * vocab/vocab_commands.h - the list of commands of t2t-vocab.
 */
#ifndef VOC_COMMANDS_H
#define VOC_COMMANDS_H

#include "base/subcommands.h"

/* making */
extern const struct t2_command voc_cmd_build;
extern const struct t2_command voc_cmd_count;

/* using */
extern const struct t2_command voc_cmd_encode;
extern const struct t2_command voc_cmd_decode;

/* looking */
extern const struct t2_command voc_cmd_show;
extern const struct t2_command voc_cmd_lookup;
extern const struct t2_command voc_cmd_diff;
extern const struct t2_command voc_cmd_stats;

extern const struct t2_command voc_cmd_verify;

/* carrying elsewhere */
extern const struct t2_command voc_cmd_convert;

extern const struct t2_listed_command voc_commands[];

#endif
