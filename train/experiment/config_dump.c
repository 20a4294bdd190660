/*
 * train/experiment/config_dump.c - a configuration as text: as yaml.dump writes it, and explained.
 *
 * PyYAML's emitter with default_flow_style=False, lists in flow style, lines of 80 columns.  What
 * it writes over several lines for line breaks in a text stands in double quotes here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "train/experiment/config.h"

enum { BEST_WIDTH = 80, INDENT = 2 };

/* ---- PyYAML's emitter ---- */

struct emitter {
    struct t2_buf *out;
    size_t column; /* in characters, as all that is written is ASCII */
    int indent;    /* of a line that goes on */
    bool after_space;
};

static void put(struct emitter *e, const char *s, size_t n)
{
    t2_buf_append(e->out, s, n);
    e->column += n;
    e->after_space = false;
}

static void puts_at(struct emitter *e, const char *s)
{
    put(e, s, strlen(s));
}

static void new_line(struct emitter *e)
{
    t2_buf_push(e->out, '\n');
    e->column = 0;
    for (int i = 0; i < e->indent; i++)
        put(e, " ", 1);
    e->after_space = true;
}

static void space(struct emitter *e)
{
    if (!e->after_space)
        put(e, " ", 1);
}

/* Words with single blanks between them are broken behind column 80. */
static void put_words(struct emitter *e, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool single = s[i] == ' ' && i > 0 && i + 1 < n && s[i - 1] != ' ' && s[i + 1] != ' ';

        if (single && e->column > BEST_WIDTH)
            new_line(e);
        else
            put(e, s + i, 1);
    }
}

static bool is_plain_start(const char *s)
{
    if (strchr("#,[]{}&*!|>'\"%@`", s[0]))
        return false;
    if (strchr("-?:", s[0]) && (s[1] == '\0' || s[1] == ' '))
        return false;
    return !t2_starts_with(s, "---") && !t2_starts_with(s, "...");
}

/* True if PyYAML writes the text without quotes.  in_list: brackets and commas need them, too. */
static bool is_plain(const char *s, bool in_list)
{
    size_t n = strlen(s);

    if (n == 0 || s[0] == ' ' || s[n - 1] == ' ' || !is_plain_start(s))
        return false;
    if (in_list && (strchr("?:", s[0]) || strpbrk(s, ",?[]{}:")))
        return false;
    for (size_t i = 0; i < n; i++)
        if ((s[i] == ':' && (s[i + 1] == ' ' || s[i + 1] == '\0')) ||
            (s[i] == '#' && i > 0 && s[i - 1] == ' '))
            return false;
    return exp_text_is_string(s);
}

static bool has_special(const char *s)
{
    for (; *s != '\0'; s++)
        if ((uint8_t) *s < 0x20 || (uint8_t) *s >= 0x7f)
            return true;
    return false;
}

/* The code point at *s, which moves behind it; bytes that are not UTF-8 are themselves. */
static uint32_t next_code_point(const char **s)
{
    const uint8_t *p = (const uint8_t *) *s;
    int more = p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc0 ? 1 : 0;
    uint32_t c = more == 0 ? p[0] : p[0] & (0x3fU >> more);

    for (int i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            *s += 1;
            return p[0];
        }
        c = c << 6 | (p[i] & 0x3fU);
    }
    *s += 1 + more;
    return c;
}

static void put_double_quoted(struct emitter *e, const char *s)
{
    char text[16];

    puts_at(e, "\"");
    while (*s != '\0') {
        uint32_t c = next_code_point(&s);

        if (c == '\n' || c == '\t' || c == '"' || c == '\\')
            snprintf(text, sizeof text, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : (int) c);
        else if (c >= 0x20 && c < 0x7f)
            snprintf(text, sizeof text, "%c", (int) c);
        else
            snprintf(text, sizeof text,
                     c < 0x100     ? "\\x%02" PRIX32
                     : c < 0x10000 ? "\\u%04" PRIX32
                                   : "\\U%08" PRIX32,
                     c);
        puts_at(e, text);
    }
    puts_at(e, "\"");
}

static void put_string(struct emitter *e, const char *s, bool in_list)
{
    struct t2_buf doubled = {0};

    if (has_special(s)) {
        put_double_quoted(e, s);
        return;
    }
    if (is_plain(s, in_list)) {
        put_words(e, s, strlen(s));
        return;
    }
    for (const char *at = s; *at != '\0'; at++)
        t2_buf_printf(&doubled, "%s%c", *at == '\'' ? "'" : "", *at);
    puts_at(e, "'");
    put_words(e, t2_buf_cstr(&doubled), doubled.len_bytes);
    puts_at(e, "'");
    t2_buf_release(&doubled);
}

/* repr, and a point in front of an exponent: 1.0e-05. */
static void put_float(struct emitter *e, double f)
{
    struct t2_buf text = {0};
    const char *s, *exponent;

    exp_put_float(&text, f);
    s = t2_buf_cstr(&text);
    exponent = strchr(s, 'e');
    if (strcmp(s, "nan") == 0 || strcmp(s, "inf") == 0 || strcmp(s, "-inf") == 0) {
        puts_at(e, s[0] == '-' ? "-.inf" : s[0] == 'n' ? ".nan" : ".inf");
    } else if (exponent && !strchr(s, '.')) {
        put(e, s, (size_t) (exponent - s));
        puts_at(e, ".0");
        puts_at(e, exponent);
    } else {
        puts_at(e, s);
    }
    t2_buf_release(&text);
}

static void put_value(struct emitter *e, const struct exp_value *v, bool in_list);

static void put_list(struct emitter *e, const struct exp_value *v)
{
    puts_at(e, "[");
    e->after_space = true;
    for (size_t i = 0; i < v->n; i++) {
        if (i > 0)
            puts_at(e, ",");
        if (e->column > BEST_WIDTH)
            new_line(e);
        put_value(e, &v->items[i], true);
    }
    puts_at(e, "]");
}

static void put_map(struct emitter *e, const struct exp_value *v)
{
    puts_at(e, "{");
    e->after_space = true;
    e->indent += INDENT;
    for (size_t i = 0; i < v->n; i++) {
        if (i > 0)
            puts_at(e, ",");
        if (e->column > BEST_WIDTH)
            new_line(e);
        space(e);
        puts_at(e, v->items[i].key);
        puts_at(e, ":");
        put_value(e, &v->items[i], true);
    }
    e->indent -= INDENT;
    puts_at(e, "}");
}

/* Block style, with Python's tag. */
static void put_tuple(struct emitter *e, const struct exp_value *v)
{
    e->indent -= INDENT;
    puts_at(e, "!!python/tuple");
    if (v->n == 0)
        puts_at(e, " []");
    for (size_t i = 0; i < v->n; i++) {
        new_line(e);
        puts_at(e, "-");
        e->indent += INDENT;
        put_value(e, &v->items[i], false);
        e->indent -= INDENT;
    }
    e->indent += INDENT;
}

static void put_value(struct emitter *e, const struct exp_value *v, bool in_list)
{
    struct t2_buf text = {0};

    space(e);
    if (v->kind == EXP_STRING) {
        put_string(e, v->s, in_list);
    } else if (v->kind == EXP_FLOAT) {
        put_float(e, v->f);
    } else if (v->kind == EXP_LIST) {
        if (v->is_tuple)
            put_tuple(e, v);
        else
            put_list(e, v);
    } else if (v->kind == EXP_MAP) {
        put_map(e, v);
    } else {
        exp_value_put(&text, v);
        puts_at(e, t2_buf_cstr(&text));
        t2_buf_release(&text);
    }
}

static void dump_field(void *context, int depth, const char *name, const char *path,
                       const struct exp_field *field, const struct exp_value *value, bool changed)
{
    struct emitter e = {.out = context, .indent = depth * INDENT};

    (void) path;
    (void) field;
    (void) changed;
    for (int i = 0; i < e.indent; i++)
        put(&e, " ", 1);
    puts_at(&e, name);
    puts_at(&e, ":");
    e.indent += INDENT;
    if (value)
        put_value(&e, value, false);
    t2_buf_push(e.out, '\n');
}

void exp_config_dump(const struct exp_config *c, struct t2_buf *out)
{
    exp_config_visit(c, dump_field, out);
}

/* ---- explained ---- */

static void describe_field(void *context, int depth, const char *name, const char *path,
                           const struct exp_field *field, const struct exp_value *value,
                           bool changed)
{
    static const char *const uses[] = {"hparam ", "", "passed over: ", "only this: "};
    struct t2_buf *out = context, text = {0};

    (void) depth;
    (void) name;
    if (!field)
        return;
    exp_value_put(&text, value);
    t2_buf_printf(out, "%c %s = %s\n      %s%s\n", changed ? '*' : ' ', path, t2_buf_cstr(&text),
                  uses[field->use], field->note);
    t2_buf_release(&text);
}

void exp_config_describe(const struct exp_config *c, struct t2_buf *out)
{
    exp_config_visit(c, describe_field, out);
}
