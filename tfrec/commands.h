/*
 * tfrec/commands.h - the list of commands, for tfrec_main.c.
 */
#ifndef REC_COMMANDS_H
#define REC_COMMANDS_H

#include "tfrec/command.h"

/* looking */
extern const struct t2_command rec_cmd_count;
extern const struct t2_command rec_cmd_head;
extern const struct t2_command rec_cmd_tail;
extern const struct t2_command rec_cmd_sample;
extern const struct t2_command rec_cmd_cat;
extern const struct t2_command rec_cmd_get;

/* understanding */
extern const struct t2_command rec_cmd_schema;
extern const struct t2_command rec_cmd_stats;
extern const struct t2_command rec_cmd_report;

/* checking, repairing */
extern const struct t2_command rec_cmd_verify;
extern const struct t2_command rec_cmd_salvage;

/* indexing, cutting, joining */
extern const struct t2_command rec_cmd_index;
extern const struct t2_command rec_cmd_merge;
extern const struct t2_command rec_cmd_reshard;
extern const struct t2_command rec_cmd_split;

/* choosing, ordering */
extern const struct t2_command rec_cmd_filter;
extern const struct t2_command rec_cmd_select;
extern const struct t2_command rec_cmd_project;
extern const struct t2_command rec_cmd_dedup;
extern const struct t2_command rec_cmd_sort;
extern const struct t2_command rec_cmd_shuffle;
extern const struct t2_command rec_cmd_diff;

/* other formats */
extern const struct t2_command rec_cmd_convert;

/* editing a finished set */
extern const struct t2_command rec_cmd_append;
extern const struct t2_command rec_cmd_relabel;
extern const struct t2_command rec_cmd_remove;

/* other payloads */
extern const struct t2_command rec_cmd_raw;
extern const struct t2_command rec_cmd_events;

extern const struct t2_listed_command rec_commands[];

#endif
