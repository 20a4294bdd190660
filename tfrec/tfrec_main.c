/*
 * tfrec/tfrec_main.c - tfrec: look into, check, repair, cut, shuffle and convert TFRecord files.
 *
 * Only the list of commands and the way to one of them; each command is in cmd_<name>.c.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/version.h"
#include "tfrec/commands.h"

enum { NAME_COLUMNS = 11 };

static void print_help(struct t2_buf *out)
{
    t2_buf_puts(out, "usage: tfrec COMMAND [flags] INPUT...\n\n"
                     "Looks into, checks, repairs, cuts, shuffles and converts TFRecord files.\n");
    for (const struct rec_listed *l = rec_commands; l->heading || l->command; l++) {
        if (l->heading)
            t2_buf_printf(out, "\n%s\n", l->heading);
        else
            t2_buf_printf(out, "  %-*s%s\n", NAME_COLUMNS, l->command->name, l->command->summary);
    }
    t2_buf_puts(
        out,
        "\nINPUT is a file, a glob, a sharded name (base@100, base-*-of-00100), a\n"
        "folder, a manifest, or - for the standard input. gzip, zlib and block gzip are\n"
        "found by content.\n"
        "\nEvery command\n"
        "  --help              says all about it: tfrec COMMAND --help\n"
        "  --num_threads=N     threads to use, also -j N; results do not depend on it\n"
        "  --quiet             only warnings and errors, no progress\n"
        "  --version           version, compiler, features\n"
        "\nExamples:\n"
        "  tfrec count data/translate_x-train@100\n"
        "  tfrec head -n 3 --vocab=data/vocab.x.32768.subwords data/\n"
        "\nExit codes: 0 done; 1 failed, or damage or a difference was found; 2 wrong usage.\n");
}

static enum t2_status unknown_command(const char *name, struct t2_err *err)
{
    const char *names[128];
    const char *nearest;
    size_t n = 0;

    for (const struct rec_listed *l = rec_commands; l->heading || l->command; l++) {
        if (l->command && n < sizeof names / sizeof *names)
            names[n++] = l->command->name;
    }
    nearest = t2_nearest(name, names, n);
    if (nearest)
        return t2_fail(err, T2_EUSAGE, "unknown command '%s'; did you mean '%s'? (see --help)",
                       name, nearest);
    return t2_fail(err, T2_EUSAGE, "unknown command '%s' (see --help)", name);
}

static bool is_one_of(const char *s, const char *a, const char *b, const char *c)
{
    return strcmp(s, a) == 0 || strcmp(s, b) == 0 || strcmp(s, c) == 0;
}

static enum t2_status close_stdout(struct t2_err *err)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        return t2_fail(err, T2_EIO, "stdout cannot be written");
    return T2_OK;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    static char help_flag[] = "--help";
    const struct rec_command *command;
    struct t2_buf help = {NULL, 0, 0};
    char *asked[2];

    if (argc < 2)
        return t2_fail(err, T2_EUSAGE, "what to do? tfrec COMMAND INPUT... (see --help)");
    if (is_one_of(argv[1], "--version", "-version", "-V")) {
        t2_version_print(stdout, "tfrec");
        return close_stdout(err);
    }
    if (is_one_of(argv[1], "--help", "-help", "-h") ||
        (strcmp(argv[1], "help") == 0 && argc == 2)) {
        print_help(&help);
        (void) fputs(t2_buf_cstr(&help), stdout);
        t2_buf_release(&help);
        return close_stdout(err);
    }
    if (strcmp(argv[1], "help") == 0) { /* tfrec help COMMAND */
        command = rec_find_command(argv[2]);
        if (!command)
            return unknown_command(argv[2], err);
        asked[0] = argv[2];
        asked[1] = help_flag;
        return command->run(2, asked, err);
    }
    command = rec_find_command(argv[1]);
    return command ? command->run(argc - 1, argv + 1, err) : unknown_command(argv[1], err);
}

int main(int argc, char **argv)
{
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    t2_log_init("tfrec");
    t2_signals_install();
    st = run(argc, argv, &err);
    if (st == T2_OK)
        return 0;
    return st == T2_EOF ? 1 : t2_report(&err);
}
