/*
 * tfrec/tfrec_main.c - tfrec: look into, check, repair, cut, shuffle and convert TFRecord files.
 *
 * Each command is in cmd_<name>.c; commands.c lists them.
 */
#include <stddef.h>

#include "tfrec/commands.h"

/* As samtools, parquet-tools and the shell call them. */
static const char *const synonyms[][2] = {
    {"view", "cat"},       {"show", "head"},        {"dump", "cat"},
    {"print", "cat"},      {"info", "schema"},      {"meta", "schema"},
    {"inspect", "head"},   {"describe", "stats"},   {"summary", "stats"},
    {"size", "count"},     {"wc", "count"},         {"ls", "count"},
    {"rowcount", "count"}, {"concat", "merge"},     {"join", "merge"},
    {"check", "verify"},   {"validate", "verify"},  {"repair", "salvage"},
    {"fix", "salvage"},    {"recover", "salvage"},  {"grep", "filter"},
    {"where", "filter"},   {"uniq", "dedup"},       {"drop", "project"},
    {"rename", "project"}, {"columns", "project"},  {"compare", "diff"},
    {"cmp", "diff"},       {"compress", "convert"}, {"import", "convert"},
    {"export", "convert"}, {"add", "append"},       {"delete", "remove"},
    {"rm", "remove"},      {"html", "report"},      {"tensorboard", "events"},
    {"decode", "raw"},     {"shard", "reshard"},    {"random", "sample"},
    {NULL, NULL}};

static const struct t2_flag_values values[] = {
    {"compress", "none gzip zlib bgzip", NULL},
    {"bytes", "auto text base64", NULL},
    {"json", "short proto", NULL},
    {"payload", "example sequence_example any auto", NULL},
    {"schema:format", "table json pbtxt tfds parsing_spec", NULL},
    {"convert:from", "tfrecord tfds jsonl csv tsv webdataset bagz npz images squad", NULL},
    {"convert:to", "tfrecord jsonl csv tsv webdataset bagz npz images", NULL},
    {NULL, NULL, NULL},
};

static const struct t2_command_tool tool = {
    .name = "tfrec",
    .summary = "Looks into, checks, repairs, cuts, shuffles and converts TFRecord files.",
    .usage = "[flags] INPUT...",
    .notes = "INPUT is a file, a glob, a sharded name (base@100, base-*-of-00100), a folder, a\n"
             "manifest, or - for the standard input. gzip, zlib and block gzip are found by\n"
             "content.\n",
    .examples = "  tfrec count data/translate_x-train@100\n"
                "  tfrec head -n 3 --vocab=data/vocab.x.32768.subwords data/\n",
    .commands = rec_commands,
    .values = values,
    .synonyms = synonyms,
    .explain = rec_explain,
};

int main(int argc, char **argv)
{
    return t2_commands_main(&tool, argc, argv);
}
