/*
 * base/completion_fish.c - a tool's completion for fish: a `complete` line for each flag.
 */
#include "base/completion.h"

#include <string.h>

/* In single quotes, where fish knows \' and \\. */
static void put_quoted(struct t2_buf *out, const char *text)
{
    t2_buf_push(out, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\')
            t2_buf_push(out, '\\');
        t2_buf_push(out, (uint8_t) *text);
    }
    t2_buf_push(out, '\'');
}

static void put_value(const struct t2_completion_flag *f, struct t2_buf *out)
{
    if (f->kind == T2_COMPLETE_NOTHING || f->is_optional) {
        if (f->words.n == 0)
            return;
    }
    switch (f->kind) {
    case T2_COMPLETE_WORDS:
        t2_buf_puts(out, f->is_optional ? " -f -a '" : " -x -a '");
        for (size_t w = 0; w < f->words.n; w++)
            t2_buf_printf(out, "%s%s", w > 0 ? " " : "", f->words.items[w]);
        t2_buf_push(out, '\'');
        break;
    case T2_COMPLETE_FOLDER:
        t2_buf_puts(out, " -x -a '(__fish_complete_directories)'");
        break;
    case T2_COMPLETE_FILE:
        t2_buf_puts(out, " -r -F");
        break;
    case T2_COMPLETE_TEXT:
        t2_buf_puts(out, " -x");
        break;
    case T2_COMPLETE_NOTHING:
        break;
    }
}

static void put_flag(const struct t2_completion *c, const struct t2_completion_command *command,
                     const struct t2_completion_flag *f, struct t2_buf *out)
{
    t2_buf_printf(out, "complete -c %s", c->tool);
    if (command->name[0] != '\0')
        t2_buf_printf(out, " -n '__fish_seen_subcommand_from %s'", command->name);
    t2_buf_printf(out, " -%s %s", strlen(f->name) == 1 ? "s" : "l", f->name);
    put_value(f, out);
    t2_buf_puts(out, " -d ");
    put_quoted(out, f->about);
    t2_buf_push(out, '\n');
}

void t2_completion_fish(const struct t2_completion *c, struct t2_buf *out)
{
    t2_buf_printf(out, "# fish completion of %s, written by `%s --completion=fish`\n", c->tool,
                  c->tool);
    for (size_t i = 0; i < c->n; i++) {
        const struct t2_completion_command *command = &c->commands[i];

        if (command->name[0] != '\0') {
            t2_buf_printf(out, "complete -c %s -n __fish_use_subcommand -f -a %s -d ", c->tool,
                          command->name);
            put_quoted(out, command->about);
            t2_buf_push(out, '\n');
        }
        for (size_t k = 0; k < command->n_flags; k++)
            put_flag(c, command, &command->flags[k], out);
    }
}
