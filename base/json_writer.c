/*
 * base/json_writer.c - streaming JSON writer.
 *
 * `depth` levels are open; for each, `first` holds until its first item is written (no comma
 * before it) and `in_object` decides whether keys are expected.  `after_key` holds between a key
 * and its value.
 */
#include "base/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/text.h"

enum { MAX_DEPTH = 64 };

void t2_json_init(struct t2_json *j, struct t2_buf *out, int indent)
{
    *j = (struct t2_json){.out = out, .indent = indent};
}

static void new_line(struct t2_json *j)
{
    if (j->indent == 0)
        return;
    t2_buf_push(j->out, '\n');
    for (int i = 0; i < j->depth * j->indent; i++)
        t2_buf_push(j->out, ' ');
}

/* The comma and line break in front of a key or an array's value. */
static void separate(struct t2_json *j)
{
    bool *first = &j->first[j->depth - 1];

    if (!*first)
        t2_buf_puts(j->out, j->indent == 0 ? ", " : ",");
    *first = false;
    new_line(j);
}

static void before_value(struct t2_json *j)
{
    if (j->depth == 0)
        return;
    if (j->in_object[j->depth - 1]) {
        T2_ASSERT(j->after_key);
        j->after_key = false;
    } else {
        separate(j);
    }
}

static void open_level(struct t2_json *j, char bracket, bool is_object)
{
    before_value(j);
    T2_ASSERT(j->depth < MAX_DEPTH);
    t2_buf_push(j->out, (uint8_t) bracket);
    j->first[j->depth] = true;
    j->in_object[j->depth] = is_object;
    j->depth++;
}

static void close_level(struct t2_json *j, char bracket, bool is_object)
{
    T2_ASSERT(j->depth > 0 && j->in_object[j->depth - 1] == is_object && !j->after_key);
    j->depth--;
    if (!j->first[j->depth])
        new_line(j);
    t2_buf_push(j->out, (uint8_t) bracket);
}

void t2_json_object(struct t2_json *j)
{
    open_level(j, '{', true);
}

void t2_json_end_object(struct t2_json *j)
{
    close_level(j, '}', true);
}

void t2_json_array(struct t2_json *j)
{
    open_level(j, '[', false);
}

void t2_json_end_array(struct t2_json *j)
{
    close_level(j, ']', false);
}

static void put_byte(struct t2_buf *out, uint8_t c)
{
    static const char from[] = "\"\\\b\f\n\r\t";
    static const char to[] = "\"\\bfnrt";
    const char *known = c ? strchr(from, c) : NULL;

    if (known) {
        t2_buf_push(out, '\\');
        t2_buf_push(out, (uint8_t) to[known - from]);
    } else if (c < 0x20) {
        t2_buf_printf(out, "\\u%04x", c);
    } else {
        t2_buf_push(out, c);
    }
}

/* Invalid UTF-8 becomes U+FFFD, a byte each, so that the output is JSON for any input. */
static void put_quoted(struct t2_buf *out, const uint8_t *s, size_t n)
{
    t2_buf_push(out, '"');
    while (n > 0) {
        size_t valid = t2_utf8_invalid_at(s, n);

        for (size_t i = 0; i < valid; i++)
            put_byte(out, s[i]);
        s += valid;
        n -= valid;
        if (n > 0) {
            t2_buf_puts(out, "\xEF\xBF\xBD"); /* U+FFFD */
            s++;
            n--;
        }
    }
    t2_buf_push(out, '"');
}

void t2_json_key(struct t2_json *j, const char *key)
{
    T2_ASSERT(j->depth > 0 && j->in_object[j->depth - 1] && !j->after_key);
    separate(j);
    put_quoted(j->out, (const uint8_t *) key, strlen(key));
    t2_buf_puts(j->out, ": ");
    j->after_key = true;
}

void t2_json_bytes(struct t2_json *j, const void *s, size_t len_bytes)
{
    before_value(j);
    put_quoted(j->out, s, len_bytes);
}

void t2_json_string(struct t2_json *j, const char *s)
{
    t2_json_bytes(j, s, strlen(s));
}

void t2_json_i64(struct t2_json *j, int64_t v)
{
    before_value(j);
    t2_buf_printf(j->out, "%" PRId64, v);
}

void t2_json_u64(struct t2_json *j, uint64_t v)
{
    before_value(j);
    t2_buf_printf(j->out, "%" PRIu64, v);
}

/* printf's decimal point follows LC_NUMERIC; whatever it is, it becomes '.'. */
static void print_double(char text[40], int digits, double v)
{
    char *to = text;

    snprintf(text, 40, "%.*g", digits, v);
    for (const char *at = text; *at; at++) {
        if (strchr("0123456789+-e", *at))
            *to++ = *at;
        else if (to == text || to[-1] != '.')
            *to++ = '.';
    }
    *to = '\0';
}

/*
 * The shortest of 15, 16 and 17 digits that reads back as the same double; 15 always suffice for
 * numbers that people typed, 17 for all.
 */
void t2_json_double(struct t2_json *j, double v)
{
    char text[40];

    if (!isfinite(v)) {
        t2_json_null(j);
        return;
    }
    before_value(j);
    if (v == 0 && signbit(v)) {
        t2_buf_puts(j->out, "-0.0"); /* "-0" would be read as an integer, without its sign */
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        double back = 0;

        print_double(text, digits, v);
        if (t2_parse_double(text, &back) && back == v)
            break;
    }
    t2_buf_puts(j->out, text);
}

void t2_json_float9(struct t2_json *j, double v)
{
    char text[40];

    if (!isfinite(v)) {
        t2_json_null(j);
        return;
    }
    before_value(j);
    print_double(text, 9, v);
    t2_buf_puts(j->out, text);
}

void t2_json_bool(struct t2_json *j, bool v)
{
    before_value(j);
    t2_buf_puts(j->out, v ? "true" : "false");
}

void t2_json_null(struct t2_json *j)
{
    before_value(j);
    t2_buf_puts(j->out, "null");
}

void t2_json_kv_string(struct t2_json *j, const char *key, const char *s)
{
    t2_json_key(j, key);
    t2_json_string(j, s);
}

void t2_json_kv_i64(struct t2_json *j, const char *key, int64_t v)
{
    t2_json_key(j, key);
    t2_json_i64(j, v);
}

void t2_json_kv_u64(struct t2_json *j, const char *key, uint64_t v)
{
    t2_json_key(j, key);
    t2_json_u64(j, v);
}

void t2_json_kv_double(struct t2_json *j, const char *key, double v)
{
    t2_json_key(j, key);
    t2_json_double(j, v);
}

void t2_json_kv_bool(struct t2_json *j, const char *key, bool v)
{
    t2_json_key(j, key);
    t2_json_bool(j, v);
}
