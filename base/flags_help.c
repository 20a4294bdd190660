/*
 * base/flags_help.c - the text of --help, 80 columns wide.
 *
 *   column 2     --name=META
 *   column 28    help text, wrapped at column 80, with its [default]
 *
 * A name that reaches beyond column 26 has its help on the next line.
 */
#include "base/flags_help.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/flags_common.h"

enum { COLUMNS = 80, HELP_COLUMN = 28 };

const char *t2_flags_meta(const struct t2_flag *f)
{
    if (f->meta)
        return f->meta;
    switch (f->type) {
    case T2_FLAG_INT:
        return "N";
    case T2_FLAG_DOUBLE:
        return "X";
    case T2_FLAG_SIZE:
        return "SIZE";
    case T2_FLAG_BOOL:
    case T2_FLAG_STRING:
    case T2_FLAG_OPTION:
    case T2_FLAG_LIST:
    case T2_FLAG_GROUP:
        break;
    }
    return "TEXT";
}

static void put_spaces(struct t2_buf *out, size_t n)
{
    while (n-- > 0)
        t2_buf_push(out, ' ');
}

/* Characters, not bytes: continuation bytes of UTF-8 take no column. */
static size_t width(const char *s, size_t n_bytes)
{
    size_t columns = 0;

    for (size_t i = 0; i < n_bytes; i++)
        columns += ((unsigned char) s[i] & 0xC0) != 0x80;
    return columns;
}

/* Words of text from column `at` on, further lines starting at column `indent`. */
static void put_wrapped(struct t2_buf *out, const char *text, size_t at, size_t indent)
{
    bool first_word = true;

    while (*text) {
        size_t n = strcspn(text, " ");
        size_t columns = width(text, n);

        if (n > 0) {
            if (!first_word && at + 1 + columns > COLUMNS) {
                t2_buf_push(out, '\n');
                put_spaces(out, indent);
                at = indent;
                first_word = true;
            }
            if (!first_word) {
                t2_buf_push(out, ' ');
                at++;
            }
            t2_buf_append(out, text, n);
            at += columns;
            first_word = false;
        }
        text += n;
        text += strspn(text, " ");
    }
    t2_buf_push(out, '\n');
}

static void put_size(struct t2_buf *out, uint64_t v)
{
    static const char units[] = "KMGT";
    size_t unit = 0;

    while (v > 0 && v % 1024 == 0 && unit < sizeof units - 1) {
        v /= 1024;
        unit++;
    }
    t2_buf_printf(out, "%" PRIu64, v);
    if (unit > 0)
        t2_buf_push(out, (uint8_t) units[unit - 1]);
}

void t2_flags_put_default(struct t2_buf *out, const struct t2_flag *f)
{
    const char *text;

    switch (f->type) {
    case T2_FLAG_STRING:
    case T2_FLAG_OPTION:
        text = *(const char *const *) f->value;
        if (text && *text)
            t2_buf_printf(out, " [%s]", text);
        break;
    case T2_FLAG_INT:
        t2_buf_printf(out, " [%" PRId64 "]", *(const int64_t *) f->value);
        break;
    case T2_FLAG_DOUBLE:
        t2_buf_printf(out, " [%.9g]", *(const double *) f->value);
        break;
    case T2_FLAG_BOOL:
        t2_buf_puts(out, *(const bool *) f->value ? " [true]" : " [false]");
        break;
    case T2_FLAG_SIZE:
        t2_buf_puts(out, " [");
        put_size(out, *(const uint64_t *) f->value);
        t2_buf_push(out, ']');
        break;
    case T2_FLAG_LIST:
    case T2_FLAG_GROUP:
        break;
    }
}

static void put_row(struct t2_buf *out, const char *left, const char *help)
{
    size_t at = width(left, strlen(left));

    t2_buf_puts(out, left);
    if (at + 2 > HELP_COLUMN) {
        t2_buf_push(out, '\n');
        at = 0;
    }
    put_spaces(out, HELP_COLUMN - at);
    put_wrapped(out, help, HELP_COLUMN, HELP_COLUMN);
}

void t2_flags_put_usage(struct t2_buf *out, const struct t2_flag *f)
{
    if (f->type == T2_FLAG_BOOL)
        t2_buf_printf(out, "--[no]%s", f->name);
    else if (f->type == T2_FLAG_OPTION)
        t2_buf_printf(out, "--%s[=%s]", f->name, t2_flags_meta(f));
    else if (strlen(f->name) == 1)
        t2_buf_printf(out, "-%s %s", f->name, t2_flags_meta(f));
    else
        t2_buf_printf(out, "--%s=%s", f->name, t2_flags_meta(f));
}

static void put_flag(struct t2_buf *out, const struct t2_flag *f)
{
    struct t2_buf left = {0}, help = {0};

    t2_buf_puts(&left, "  ");
    t2_flags_put_usage(&left, f);
    t2_buf_puts(&help, f->help ? f->help : "");
    t2_flags_put_default(&help, f);
    put_row(out, t2_buf_cstr(&left), t2_buf_cstr(&help));
    t2_buf_release(&help);
    t2_buf_release(&left);
}

static bool tool_has(const struct t2_tool *tool, const char *name)
{
    for (size_t i = 0; i < tool->n_flags; i++) {
        if (tool->flags[i].type != T2_FLAG_GROUP && strcmp(tool->flags[i].name, name) == 0)
            return true;
    }
    return false;
}

static void put_examples(struct t2_buf *out, const char *examples)
{
    t2_buf_puts(out, "\nexamples:\n");
    while (*examples) {
        size_t n = strcspn(examples, "\n");

        if (n > 0 && *examples != ' ')
            t2_buf_puts(out, "  ");
        t2_buf_append(out, examples, n);
        t2_buf_push(out, '\n');
        examples += n + (examples[n] == '\n');
    }
}

void t2_flags_help(const struct t2_tool *tool, struct t2_buf *out)
{
    size_t n_common;
    const struct t2_flag *common = t2_flags_common(&n_common);
    size_t indent = strlen("usage: ") + strlen(tool->name) + 1;

    t2_buf_printf(out, "usage: %s ", tool->name);
    put_wrapped(out, tool->usage ? tool->usage : "[flags]", indent, indent);
    t2_buf_push(out, '\n');
    put_wrapped(out, tool->summary, 0, 0);
    if (tool->n_flags > 0 && tool->flags[0].type != T2_FLAG_GROUP)
        t2_buf_puts(out, "\nflags:\n");
    for (size_t i = 0; i < tool->n_flags; i++) {
        if (tool->flags[i].type == T2_FLAG_GROUP)
            t2_buf_printf(out, "\n%s:\n", tool->flags[i].help);
        else
            put_flag(out, &tool->flags[i]);
    }
    t2_buf_puts(out, "\nevery tool:\n");
    put_row(out, "  --help", "Print this text.");
    put_row(out, "  --version", "Print version, compiler and built-in features.");
    for (size_t i = 0; i < n_common; i++) {
        if (!tool_has(tool, common[i].name))
            put_flag(out, &common[i]);
    }
    if (tool->examples && *tool->examples)
        put_examples(out, tool->examples);
    t2_buf_puts(
        out, "\nexit codes: 0 done, 1 failed or not supported, 2 wrong usage, 130 interrupted\n");
}
