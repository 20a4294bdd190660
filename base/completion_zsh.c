/*
 * base/completion_zsh.c - a tool's completion for zsh: specifications for its _arguments.
 */
#include "base/completion.h"

#include <string.h>

/* Within single quotes, where [ ] and : mean something to _arguments. */
static void put_text(struct t2_buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("[]:\\", *text))
            t2_buf_push(out, '\\');
        if (*text == '\'')
            t2_buf_puts(out, "'\\'");
        t2_buf_push(out, (uint8_t) *text);
    }
}

static void put_value(const struct t2_completion_flag *f, struct t2_buf *out)
{
    t2_buf_puts(out, f->is_optional ? "::" : ":");
    put_text(out, f->meta);
    t2_buf_push(out, ':');
    switch (f->kind) {
    case T2_COMPLETE_WORDS:
        for (size_t w = 0; w < f->words.n; w++) {
            t2_buf_push(out, w == 0 ? '(' : ' ');
            put_text(out, f->words.items[w]);
        }
        t2_buf_push(out, ')');
        break;
    case T2_COMPLETE_FILE:
        t2_buf_puts(out, "_files");
        break;
    case T2_COMPLETE_FOLDER:
        t2_buf_puts(out, "_files -/");
        break;
    case T2_COMPLETE_TEXT:
    case T2_COMPLETE_NOTHING:
        break;
    }
}

/* `'--name=[about]:META:(a b)'`; `=-` where the value must be in the same word. */
static void put_arguments(const struct t2_completion_command *c, const char *indent,
                          struct t2_buf *out)
{
    t2_buf_printf(out, "%s_arguments -S", indent);
    for (size_t i = 0; i < c->n_flags; i++) {
        const struct t2_completion_flag *f = &c->flags[i];
        const char *behind = f->kind == T2_COMPLETE_NOTHING ? "" : f->is_optional ? "=-" : "=";

        if (strlen(f->name) == 1)
            t2_buf_printf(out, " \\\n%s  '-%s[", indent, f->name);
        else
            t2_buf_printf(out, " \\\n%s  '--%s%s[", indent, f->name, behind);
        put_text(out, f->about);
        t2_buf_push(out, ']');
        if (f->kind != T2_COMPLETE_NOTHING)
            put_value(f, out);
        t2_buf_push(out, '\'');
    }
    t2_buf_printf(out, " \\\n%s  '*:file:_files'\n", indent);
}

static void put_commands(const struct t2_completion *c, struct t2_buf *out)
{
    t2_buf_puts(out, "if (( CURRENT == 2 )); then\n"
                     "  local -a commands=(\n");
    for (size_t i = 0; i < c->n; i++) {
        t2_buf_printf(out, "    '%s:", c->commands[i].name);
        put_text(out, c->commands[i].about);
        t2_buf_puts(out, "'\n");
    }
    t2_buf_puts(out, "  )\n"
                     "  _describe command commands\n"
                     "  return\n"
                     "fi\n"
                     "local command=$words[2]\n"
                     "shift words\n"
                     "(( CURRENT-- ))\n"
                     "case $command in\n");
    for (size_t i = 0; i < c->n; i++) {
        t2_buf_printf(out, "%s)\n", c->commands[i].name);
        put_arguments(&c->commands[i], "  ", out);
        t2_buf_puts(out, "  ;;\n");
    }
    t2_buf_puts(out, "esac\n");
}

void t2_completion_zsh(const struct t2_completion *c, struct t2_buf *out)
{
    t2_buf_printf(out, "#compdef %s\n# written by `%s --completion=zsh`\n", c->tool, c->tool);
    if (c->n > 0 && c->commands[0].name[0] != '\0')
        put_commands(c, out);
    else if (c->n > 0)
        put_arguments(&c->commands[0], "", out);
}
