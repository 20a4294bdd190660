/*
 * tfrec/commands.c - all commands of tfrec, in the order of --help.
 */
#include "tfrec/commands.h"

/* clang-format off */
const struct t2_listed_command rec_commands[] = {
    {"Look", NULL},
    {NULL, &rec_cmd_count},
    {NULL, &rec_cmd_head},
    {NULL, &rec_cmd_tail},
    {NULL, &rec_cmd_sample},
    {NULL, &rec_cmd_cat},
    {NULL, &rec_cmd_get},
    {"Understand", NULL},
    {NULL, &rec_cmd_schema},
    {NULL, &rec_cmd_stats},
    {NULL, &rec_cmd_report},
    {"Check and repair", NULL},
    {NULL, &rec_cmd_verify},
    {NULL, &rec_cmd_salvage},
    {"Index, cut and join", NULL},
    {NULL, &rec_cmd_index},
    {NULL, &rec_cmd_split},
    {NULL, &rec_cmd_merge},
    {NULL, &rec_cmd_reshard},
    {"Choose and order", NULL},
    {NULL, &rec_cmd_filter},
    {NULL, &rec_cmd_select},
    {NULL, &rec_cmd_project},
    {NULL, &rec_cmd_dedup},
    {NULL, &rec_cmd_sort},
    {NULL, &rec_cmd_shuffle},
    {NULL, &rec_cmd_diff},
    {"Convert", NULL},
    {NULL, &rec_cmd_convert},
    {"Edit a finished data set", NULL},
    {NULL, &rec_cmd_append},
    {NULL, &rec_cmd_remove},
    {NULL, &rec_cmd_relabel},
    {"Other payloads", NULL},
    {NULL, &rec_cmd_raw},
    {NULL, &rec_cmd_events},
    {NULL, NULL},
};
/* clang-format on */
