/*
 * base/flags_markdown.c - the text of --help=markdown: a section of docs/flags.md.
 *
 *   ## tool            summary
 *   | flag | |         a row for each flag, a bold one for each heading
 *   | passed over | because |
 *   | refused | taken | instead |
 */
#include <string.h>

#include "base/flags_foreign.h"
#include "base/flags_help.h"

/* Text of a cell: a bar would end it. */
static void put_cell(struct t2_buf *out, const char *text)
{
    t2_buf_puts(out, " ");
    for (; *text; text++) {
        if (*text == '|' || *text == '*' || *text == '<')
            t2_buf_push(out, '\\');
        t2_buf_push(out, (uint8_t) *text);
    }
    t2_buf_puts(out, " |");
}

static void put_flag(struct t2_buf *out, const struct t2_flag *f)
{
    struct t2_buf usage = {0}, help = {0};

    if (f->type == T2_FLAG_GROUP) {
        t2_buf_printf(out, "| **%s** | |\n", f->help);
        return;
    }
    t2_flags_put_usage(&usage, f);
    t2_buf_puts(&help, f->help ? f->help : "");
    t2_flags_put_default(&help, f);
    t2_buf_puts(out, "|");
    put_cell(out, t2_buf_cstr(&usage));
    put_cell(out, t2_buf_cstr(&help));
    t2_buf_push(out, '\n');
    t2_buf_release(&help);
    t2_buf_release(&usage);
}

/* Flags without a row hide behind those of the same name that have one. */
static bool has_row(const struct t2_tool *tool, const char *name)
{
    for (size_t i = 0; i < tool->n_flags; i++)
        if (tool->flags[i].type != T2_FLAG_GROUP && strcmp(tool->flags[i].name, name) == 0)
            return true;
    return false;
}

static void put_foreign(const struct t2_tool *tool, bool refused, struct t2_buf *out)
{
    bool first = true;

    for (size_t i = 0; i < t2_foreign_count(tool); i++) {
        const struct t2_foreign *f = t2_foreign_at(tool, i);
        bool negated;

        if ((f->off != NULL) != refused || has_row(tool, f->name) ||
            t2_foreign_find(tool, f->name, strlen(f->name), &negated) != f)
            continue;
        if (first)
            t2_buf_puts(out, refused ? "\n| refused | but for | instead |\n|---|---|---|\n"
                                     : "\n| passed over | because |\n|---|---|\n");
        first = false;
        t2_buf_printf(out, "| --%s%s |", f->is_bool ? "[no]" : "", f->name);
        if (refused)
            put_cell(out, f->off);
        put_cell(out, f->why);
        t2_buf_push(out, '\n');
    }
}

void t2_flags_markdown(const struct t2_tool *tool, struct t2_buf *out)
{
    t2_buf_printf(out, "## %s\n\n| %s |", tool->name, "flag");
    put_cell(out, tool->summary);
    t2_buf_puts(out, "\n|---|---|\n");
    for (size_t i = 0; i < tool->n_flags; i++)
        put_flag(out, &tool->flags[i]);
    put_foreign(tool, false, out);
    put_foreign(tool, true, out);
    if (tool->more)
        tool->more(out);
}
