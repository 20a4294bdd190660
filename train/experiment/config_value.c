/*
 * train/experiment/config_value.c - PyYAML's resolver and constructor for scalars: which plain text
 * is null, a boolean, an integer, a float or a date, by YAML 1.1's expressions, which the functions
 * below spell out.
 *
 * So "1e-5" is a text (a float needs a point), "yes" a boolean and "1:30" 90; Model Garden adds the
 * float without a point.
 */
#include "train/experiment/config_value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

/* ---- what a plain scalar is ---- */

static bool is_one_of(const char *s, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(s, *words) == 0)
            return true;
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t span(const char *s, const char *set)
{
    return strspn(s, set);
}

static const char decimal[] = "0123456789_";

/* ":59" parts behind the first number; NULL when there are none, or others. */
static const char *after_sexagesimal(const char *s)
{
    if (*s != ':')
        return NULL;
    while (*s == ':') {
        size_t n = span(s + 1, "0123456789");

        if (n < 1 || n > 2 || (n == 2 && s[1] > '5'))
            return NULL;
        s += 1 + n;
    }
    return s;
}

/* [-+]?0b.. | [-+]?0[0-7_]+ | [-+]?(0|[1-9][0-9_]*) | [-+]?0x.. |
 * [-+]?[1-9][0-9_]*(:[0-5]?[0-9])+ */
static bool looks_int(const char *s)
{
    const char *end;

    s += *s == '-' || *s == '+';
    if (s[0] == '0') {
        const char *set = s[1] == 'b'   ? "01_"
                          : s[1] == 'x' ? "0123456789abcdefABCDEF_"
                                        : "01234567_";
        size_t skip = s[1] == 'b' || s[1] == 'x' ? 2 : 1;

        if (s[1] == '\0')
            return true;
        return s[skip] != '\0' && s[skip + span(s + skip, set)] == '\0';
    }
    if (!is_digit(*s))
        return false;
    s += span(s, decimal);
    end = after_sexagesimal(s);
    return *s == '\0' || (end && *end == '\0');
}

/* [eE][-+][0-9]+ to the end */
static bool is_signed_exponent(const char *s)
{
    if ((*s != 'e' && *s != 'E') || (s[1] != '-' && s[1] != '+') || !is_digit(s[2]))
        return false;
    return s[2 + span(s + 2, "0123456789")] == '\0';
}

static bool looks_float(const char *s)
{
    static const char *const odd[] = {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN", NULL};
    const char *t = s + (*s == '-' || *s == '+'), *end;

    if (is_one_of(t, odd))
        return t == s || (t[1] != 'n' && t[1] != 'N');
    if (*s == '.') { /* no sign in front */
        if (!is_digit(s[1]))
            return false;
        s += 1 + span(s + 1, decimal);
        return *s == '\0' || is_signed_exponent(s);
    }
    if (!is_digit(*t))
        return false;
    t += span(t, decimal);
    end = after_sexagesimal(t);
    if (end)
        return *end == '.' && end[1 + span(end + 1, decimal)] == '\0';
    if (*t != '.')
        return false;
    t += 1 + span(t + 1, decimal);
    return *t == '\0' || is_signed_exponent(t);
}

/* Model Garden's own: an integer with an exponent. */
static bool looks_exponent(const char *s)
{
    s += *s == '-' || *s == '+';
    if (!is_digit(*s))
        return false;
    s += span(s, decimal);
    if (*s != 'e' && *s != 'E')
        return false;
    s += 1 + (s[1] == '-' || s[1] == '+');
    return is_digit(*s) && s[span(s, "0123456789")] == '\0';
}

/* 2020-01-31, and what goes on with a time. */
static bool looks_date(const char *s)
{
    size_t month, day;

    if (span(s, "0123456789") != 4 || s[4] != '-')
        return false;
    month = span(s + 5, "0123456789");
    if (month < 1 || month > 2 || s[5 + month] != '-')
        return false;
    s += 6 + month;
    day = span(s, "0123456789");
    if (s[day] == '\0')
        return month == 2 && day == 2;
    return (day == 1 || day == 2) && strchr("Tt \t", s[day]);
}

static bool is_null(const char *s)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL", NULL};

    return is_one_of(s, words);
}

static bool is_bool(const char *s, bool *value)
{
    static const char *const yes[] = {"true", "True", "TRUE", "yes", "Yes",
                                      "YES",  "on",   "On",   "ON",  NULL};
    static const char *const no[] = {"false", "False", "FALSE", "no",  "No",
                                     "NO",    "off",   "Off",   "OFF", NULL};

    *value = is_one_of(s, yes);
    return *value || is_one_of(s, no);
}

bool exp_text_is_string(const char *s)
{
    bool b;

    return !is_null(s) && !is_bool(s, &b) && !looks_int(s) && !looks_float(s) && !looks_date(s) &&
           strcmp(s, "=") != 0 && strcmp(s, "<<") != 0;
}

/* ---- values ---- */

/* Numbers written in bases of 60: 12:30 is 750. */
static double sexagesimal(const char *s)
{
    double value = 0;

    for (; s; s = strchr(s, ':') ? strchr(s, ':') + 1 : NULL)
        value = value * 60 + strtod(s, NULL);
    return value;
}

/* The text without '_' and a sign; *negative says which. */
static char *bare_number(const char *s, bool *negative)
{
    char *out = t2_strdup(s + (*s == '-' || *s == '+')), *to = out;

    *negative = *s == '-';
    for (const char *at = out; *at != '\0'; at++)
        if (*at != '_')
            *to++ = *at;
    *to = '\0';
    return out;
}

/* False when it is too large, or has no digits ("0x_"). */
static bool int_value(const char *s, int64_t *i)
{
    bool negative, ok = true;
    char *bare = bare_number(s, &negative), *end = bare;

    if (strchr(bare, ':')) {
        double x = sexagesimal(bare);

        ok = x < 9e15;
        *i = ok ? (int64_t) x : 0;
    } else {
        int base = bare[0] != '0' ? 10 : bare[1] == 'b' ? 2 : bare[1] == 'x' ? 16 : 8;
        const char *digits = bare + (base == 2 || base == 16 ? 2 : 0);
        unsigned long long x = strtoull(digits, &end, base);

        ok = end != digits && *end == '\0' && strlen(digits) < 64 && x <= INT64_MAX;
        *i = (int64_t) x;
    }
    if (negative)
        *i = -*i;
    t2_free(bare);
    return ok;
}

static double float_value(const char *s)
{
    bool negative;
    char *bare = bare_number(s, &negative);
    double x;

    if (bare[0] == '.' && (bare[1] == 'i' || bare[1] == 'I'))
        x = INFINITY;
    else if (bare[0] == '.' && (bare[1] == 'n' || bare[1] == 'N'))
        x = NAN;
    else
        x = strchr(bare, ':') ? sexagesimal(bare) : strtod(bare, NULL);
    t2_free(bare);
    return negative ? -x : x;
}

static enum t2_status fail_at(const struct t2_yaml_node *node, const char *origin, const char *what,
                              struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': line %zu, column %zu: %s", origin, node->line,
                   node->column, what);
}

static bool has_tag(const struct t2_yaml_node *node, const char *name)
{
    return node->tag && strcmp(node->tag, name) == 0;
}

static enum t2_status read_scalar(const struct t2_yaml_node *node, const char *origin,
                                  struct exp_value *v, struct t2_err *err)
{
    const char *s = node->text;

    if (node->tag && !has_tag(node, "tag:yaml.org,2002:str") && !has_tag(node, "!"))
        return fail_at(node, origin, "this tag is not understood here", err);
    if (!node->plain || node->tag) {
        *v = (struct exp_value){.kind = EXP_STRING, .s = t2_strdup(s)};
    } else if (is_null(s)) {
        v->kind = EXP_NULL;
    } else if (is_bool(s, &v->b)) {
        v->kind = EXP_BOOL;
    } else if (looks_int(s)) {
        v->kind = EXP_INT;
        if (!int_value(s, &v->i))
            return fail_at(node, origin, "an integer that is too large", err);
    } else if (looks_float(s) || looks_exponent(s)) {
        v->kind = EXP_FLOAT;
        v->f = float_value(s);
    } else if (looks_date(s)) {
        return fail_at(node, origin, "a date; text that looks like one needs quotes", err);
    } else {
        *v = (struct exp_value){.kind = EXP_STRING, .s = t2_strdup(s)};
    }
    return T2_OK;
}

enum t2_status exp_value_read(const struct t2_yaml_node *node, const char *origin,
                              struct exp_value *value, struct t2_err *err)
{
    struct exp_value v = {0};
    enum t2_status st = T2_OK;

    *value = v;
    if (node->kind == T2_YAML_MAPPING)
        return fail_at(node, origin, "a mapping where a value belongs", err);
    if (node->kind == T2_YAML_SCALAR) {
        T2_TRY(read_scalar(node, origin, &v, err));
        *value = v;
        return T2_OK;
    }
    v.kind = EXP_LIST;
    v.is_tuple = has_tag(node, "tag:yaml.org,2002:python/tuple");
    if (node->tag && !v.is_tuple)
        return fail_at(node, origin, "this tag is not understood here", err);
    v.items = t2_alloc(node->n, sizeof *v.items);
    while (v.n < node->n && st == T2_OK) {
        st = exp_value_read(&node->items[v.n], origin, &v.items[v.n], err);
        v.n++;
    }
    if (st != T2_OK) {
        exp_value_release(&v);
        return st;
    }
    *value = v;
    return T2_OK;
}

void exp_value_release(struct exp_value *v)
{
    for (size_t i = 0; i < v->n; i++)
        exp_value_release(&v->items[i]);
    t2_free(v->items);
    t2_free(v->s);
    t2_free(v->key);
    *v = (struct exp_value){0};
}

struct exp_value exp_value_copy(const struct exp_value *v)
{
    struct exp_value c = *v;

    if (v->s)
        c.s = t2_strdup(v->s);
    if (v->key)
        c.key = t2_strdup(v->key);
    if (v->kind == EXP_LIST || v->kind == EXP_MAP) {
        c.items = t2_alloc(v->n, sizeof *c.items);
        for (size_t i = 0; i < v->n; i++)
            c.items[i] = exp_value_copy(&v->items[i]);
    }
    return c;
}

/* 1 and 1.0 are equal, as in Python. */
static bool number_of(const struct exp_value *v, double *x)
{
    *x = v->kind == EXP_INT ? (double) v->i : v->f;
    return v->kind == EXP_INT || v->kind == EXP_FLOAT;
}

bool exp_value_equal(const struct exp_value *a, const struct exp_value *b)
{
    double x, y;

    if (number_of(a, &x) && number_of(b, &y))
        return x == y;
    if (a->kind != b->kind || a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!exp_value_equal(&a->items[i], &b->items[i]))
            return false;
    if (a->kind == EXP_BOOL)
        return a->b == b->b;
    return a->kind != EXP_STRING || strcmp(a->s, b->s) == 0;
}

/* ---- as text ---- */

void exp_put_float(struct t2_buf *out, double f)
{
    char text[40], digits[24];
    int precision = 0, exponent;
    size_t n = 0;

    if (!isfinite(f)) {
        t2_buf_puts(out, isnan(f) ? "nan" : f < 0 ? "-inf" : "inf");
        return;
    }
    do { /* the fewest digits that read back the same */
        snprintf(text, sizeof text, "%.*e", precision, f);
    } while (strtod(text, NULL) != f && ++precision < 17);
    exponent = (int) strtol(strchr(text, 'e') + 1, NULL, 10);
    if (exponent < -4 || exponent >= 16) {
        t2_buf_append(out, text, (size_t) (strchr(text, 'e') - text));
        t2_buf_printf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
        return;
    }
    for (const char *at = text; *at != 'e'; at++)
        if (is_digit(*at))
            digits[n++] = *at;
    if (f < 0 || (f == 0 && signbit(f)))
        t2_buf_push(out, '-');
    for (int i = exponent < 0 ? exponent : 0; i < (int) n || i <= exponent + 1; i++) {
        t2_buf_push(out, (uint8_t) (i < 0 || i >= (int) n ? '0' : digits[i]));
        if (i == exponent)
            t2_buf_push(out, '.');
    }
}

void exp_value_put(struct t2_buf *out, const struct exp_value *v)
{
    switch (v->kind) {
    case EXP_NULL:
        t2_buf_puts(out, "null");
        break;
    case EXP_BOOL:
        t2_buf_puts(out, v->b ? "true" : "false");
        break;
    case EXP_INT:
        t2_buf_printf(out, "%" PRId64, v->i);
        break;
    case EXP_FLOAT:
        exp_put_float(out, v->f);
        break;
    case EXP_STRING:
        t2_buf_printf(out, "'%s'", v->s);
        break;
    case EXP_LIST:
    case EXP_MAP:
        t2_buf_push(out, v->kind == EXP_LIST ? '[' : '{');
        for (size_t i = 0; i < v->n; i++) {
            t2_buf_puts(out, i > 0 ? ", " : "");
            if (v->items[i].key)
                t2_buf_printf(out, "%s: ", v->items[i].key);
            exp_value_put(out, &v->items[i]);
        }
        t2_buf_push(out, v->kind == EXP_LIST ? ']' : '}');
        break;
    }
}
