/*
 * tfrec/tfrec_main.c - tfrec: look into, check, repair, cut, shuffle and convert TFRecord files.
 *
 * Each command is in cmd_<name>.c; commands.c lists them.
 */
#include "tfrec/commands.h"

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
    .explain = rec_explain,
};

int main(int argc, char **argv)
{
    return t2_commands_main(&tool, argc, argv);
}
