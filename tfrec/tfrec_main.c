/*
 * tfrec/tfrec_main.c - tfrec: look into, check, repair, cut, shuffle and convert TFRecord files.
 *
 * Each command is in cmd_<name>.c; commands.c lists them.
 */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "tfrec/commands.h"
#include "tfrecord/mapping.h"

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
    {"convert:from", "tfrecord tfds jsonl csv tsv webdataset bagz npz images", NULL},
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

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* nobody listens */
}

/* An input was cut while it was read; in a signal handler.  Outputs have not got their names yet. */
static void end_run(const char *path)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;

    while (atomic_flag_test_and_set(&told))
        (void) pause(); /* another thread is telling */
    say("tfrec: error: '");
    say(path);
    say("' has become shorter while it was read, or its disk cannot be read\n");
    _exit(1);
}

int main(int argc, char **argv)
{
    tfr_mapping_on_loss(end_run);
    return t2_commands_main(&tool, argc, argv);
}
