/*
 * datagen/problem_files/braces.c - "a.{en,de}" is a.en and a.de.
 */
#include "datagen/problem_files/braces.h"

#include <string.h>

#include "base/buf.h"

/* How many alternatives a group "{a,b}" has; *end is behind it.  0: it does not end. */
static size_t group(const char *open, const char **end)
{
    size_t n = 1, len = 1 + strcspn(open + 1, "{}");

    if (open[len] != '}')
        return 0;
    for (size_t i = 1; i < len; i++)
        n += open[i] == ',';
    *end = open + len + 1;
    return n;
}

/* How many texts it means; 0: too many, or no good. */
static size_t count(const char *text, size_t max)
{
    size_t n = 1;

    for (;;) {
        size_t n_group;

        text += strcspn(text, "{}");
        if (*text == '\0')
            return n;
        n_group = *text == '{' ? group(text, &text) : 0;
        if (n_group == 0 || n_group > max / n)
            return 0;
        n *= n_group;
    }
}

/* Alternative i of a group. */
static struct t2_slice alternative(const char *open, size_t i)
{
    const char *at = open + 1;

    for (; i > 0; i--)
        at += strcspn(at, ",}") + 1;
    return (struct t2_slice){(const uint8_t *) at, strcspn(at, ",}")};
}

/* Text i of n: the last group turns fastest. */
static char *text_at(const char *text, size_t i, size_t n)
{
    struct t2_buf out = {0};

    while (*text) {
        size_t plain = strcspn(text, "{"), n_group;
        const char *open = text + plain;
        struct t2_slice chosen;

        t2_buf_append(&out, text, plain);
        text = open;
        if (*open == '\0')
            break;
        n_group = group(open, &text);
        n /= n_group;
        chosen = alternative(open, i / n);
        i %= n;
        t2_buf_append(&out, chosen.data, chosen.len_bytes);
    }
    return t2_buf_detach(&out);
}

bool dg_expand_braces(const char *text, size_t max, struct t2_strs *list)
{
    size_t n = count(text, max);

    for (size_t i = 0; i < n; i++)
        t2_strs_take(list, text_at(text, i, n));
    return n > 0;
}
