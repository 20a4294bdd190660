/*
 * base/subcommands.c - the way from a command line to one of a tool's commands.
 */
#include "base/subcommands.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/completion.h"
#include "base/log.h"
#include "base/run_tool.h"
#include "base/str.h"
#include "base/version.h"

enum { NAME_COLUMNS = 11, MAX_COMMANDS = 128 };

static bool is_end(const struct t2_listed_command *l)
{
    return !l->heading && !l->command;
}

const struct t2_command *t2_find_command(const struct t2_listed_command *list, const char *name)
{
    for (; !is_end(list); list++) {
        if (list->command && strcmp(list->command->name, name) == 0)
            return list->command;
    }
    return NULL;
}

static void print_help(const struct t2_command_tool *tool)
{
    struct t2_buf out = {NULL, 0, 0};

    t2_buf_printf(&out, "usage: %s COMMAND %s\n\n%s\n", tool->name, tool->usage, tool->summary);
    for (const struct t2_listed_command *l = tool->commands; !is_end(l); l++) {
        if (l->heading)
            t2_buf_printf(&out, "\n%s\n", l->heading);
        else
            t2_buf_printf(&out, "  %-*s%s\n", NAME_COLUMNS, l->command->name, l->command->summary);
    }
    t2_buf_printf(&out,
                  "\n%s"
                  "\nevery command:\n"
                  "  --help              Says all about it: %s COMMAND --help\n"
                  "  --num_threads=N     Threads to use, also -j N; results do not depend on it.\n"
                  "  --quiet             Only warnings and errors, no progress.\n"
                  "  --version           Version, compiler, features.\n"
                  "\nexamples:\n%s"
                  "\nexit codes: 0 done; 1 failed, not supported, or damage or a difference\n"
                  "was found; 2 wrong usage\n",
                  tool->notes, tool->name, tool->examples);
    (void) fputs(t2_buf_cstr(&out), stdout);
    t2_buf_release(&out);
}

static enum t2_status unknown_command(const struct t2_command_tool *tool, const char *name,
                                      struct t2_err *err)
{
    const char *names[MAX_COMMANDS];
    const char *nearest;
    size_t n = 0;

    for (size_t i = 0; tool->synonyms && tool->synonyms[i][0]; i++) {
        if (strcmp(tool->synonyms[i][0], name) == 0)
            return t2_fail(err, T2_EUSAGE, "unknown command '%s'; here it is '%s' (see --help)",
                           name, tool->synonyms[i][1]);
    }
    for (const struct t2_listed_command *l = tool->commands; !is_end(l); l++) {
        if (l->command && n < MAX_COMMANDS)
            names[n++] = l->command->name;
    }
    nearest = t2_nearest(name, names, n);
    if (nearest)
        return t2_fail(err, T2_EUSAGE, "unknown command '%s'; did you mean '%s'? (see --help)",
                       name, nearest);
    return t2_fail(err, T2_EUSAGE, "unknown command '%s' (see --help)", name);
}

struct collected {
    const struct t2_command_tool *tool;
    struct t2_completion completion;
    const struct t2_command *command;
};

static void see_flags(void *context, const struct t2_tool *flags)
{
    struct collected *c = context;

    t2_completion_add(&c->completion, c->command->name, c->command->summary, flags,
                      c->tool->values);
}

/*
 * Each command is called without arguments while t2_flags_collect is on: its first step is
 * t2_flags_parse, which hands its flag table over and fails.
 */
static enum t2_status print_completion(const struct t2_command_tool *tool, const char *shell,
                                       struct t2_err *err)
{
    struct collected c = {.tool = tool, .completion = {.tool = tool->name}};
    struct t2_buf text = {NULL, 0, 0};
    enum t2_status st;

    t2_flags_collect(see_flags, &c);
    for (const struct t2_listed_command *l = tool->commands; !is_end(l); l++) {
        struct t2_err none = T2_ERR_INIT;
        char name[32];
        char *argv[] = {name, NULL};

        c.command = l->command;
        if (!c.command)
            continue;
        snprintf(name, sizeof name, "%s", c.command->name);
        st = c.command->run(1, argv, &none);
        T2_ASSERT(st == T2_EUSAGE); /* a command begins with its flags */
    }
    t2_flags_collect(NULL, NULL);
    st = t2_completion_write(&c.completion, shell, &text, err);
    if (st == T2_OK)
        (void) fputs(t2_buf_cstr(&text), stdout);
    t2_buf_release(&text);
    t2_completion_release(&c.completion);
    return st == T2_OK ? t2_flush_stdout(err) : st;
}

static bool is_one_of(const char *s, const char *a, const char *b, const char *c)
{
    return strcmp(s, a) == 0 || strcmp(s, b) == 0 || strcmp(s, c) == 0;
}

static enum t2_status run(const struct t2_command_tool *tool, int argc, char **argv,
                          struct t2_err *err)
{
    static char help_flag[] = "--help";
    bool asks_help;
    char *asked[2];

    if (argc < 2)
        return t2_fail(err, T2_EUSAGE, "what to do? %s COMMAND %s (see --help)", tool->name,
                       tool->usage);
    if (is_one_of(argv[1], "--version", "-version", "-V")) {
        t2_version_print(stdout, tool->name);
        return t2_flush_stdout(err);
    }
    if (argc == 2 && t2_completion_asked(argv[1]))
        return print_completion(tool, t2_completion_asked(argv[1]), err);
    asks_help = is_one_of(argv[1], "help", "--help", "-help") || strcmp(argv[1], "-h") == 0;
    if (asks_help && argc == 2) {
        print_help(tool);
        return t2_flush_stdout(err);
    }
    const char *name = argv[asks_help ? 2 : 1];
    const struct t2_command *command = t2_find_command(tool->commands, name);
    if (!command)
        return unknown_command(tool, name, err);
    if (!asks_help)
        return command->run(argc - 1, argv + 1, err);
    asked[0] = argv[2];
    asked[1] = help_flag;
    return command->run(2, asked, err);
}

int t2_commands_main(const struct t2_command_tool *tool, int argc, char **argv)
{
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    t2_begin_tool(tool->name);
    st = run(tool, argc, argv, &err);
    if (st != T2_OK && st != T2_EOF && tool->explain)
        tool->explain(&err);
    return t2_end_tool(st, &err);
}
