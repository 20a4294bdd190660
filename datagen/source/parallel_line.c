/*
 * datagen/source/parallel_line.c - the rules of T2T's compile_data for one line.
 */
#include "datagen/source/parallel_line.h"

#include <string.h>

#include "tokenizer/unicode.h"

struct t2_slice dg_stripped(struct t2_slice s)
{
    if (s.len_bytes > 0)
        tok_strip(&s.data, &s.len_bytes);
    return s;
}

static bool begins(struct t2_slice s, const char *with)
{
    size_t n = strlen(with);

    return s.len_bytes >= n && memcmp(s.data, with, n) == 0;
}

static bool ends(struct t2_slice s, const char *with)
{
    size_t n = strlen(with);

    return s.len_bytes >= n && memcmp(s.data + s.len_bytes - n, with, n) == 0;
}

struct t2_slice dg_sgm_text(struct t2_slice line)
{
    static const char close[] = "</seg>";
    const uint8_t *from;
    size_t rest;

    if (!begins(line, "<seg") || !ends(line, close))
        return (struct t2_slice){NULL, 0};
    from =
        (const uint8_t *) memchr(line.data, '>', line.len_bytes) + 1; /* at the latest in </seg> */
    rest = line.len_bytes - (size_t) (from - line.data);
    if (rest < strlen(close)) /* "<seg</seg>": Python's slice is empty */
        return (struct t2_slice){NULL, 0};
    return (struct t2_slice){from, rest - strlen(close)};
}

bool dg_tsv_column(struct t2_slice line, int i, struct t2_slice *text)
{
    const uint8_t *at = line.data, *end = line.data + line.len_bytes, *tab = NULL;

    for (int k = 0; k <= i; k++) {
        if (k > 0 && !tab)
            return false;
        at = k > 0 ? tab + 1 : at;
        tab = at < end ? memchr(at, '\t', (size_t) (end - at)) : NULL;
    }
    *text = dg_stripped((struct t2_slice){at, (size_t) ((tab ? tab : end) - at)});
    return true;
}

bool dg_tmx_segment(struct t2_slice line, struct t2_slice *text)
{
    size_t n_blanks = 0;

    while (n_blanks < line.len_bytes && line.data[n_blanks] == ' ')
        n_blanks++;
    line.data += n_blanks;
    line.len_bytes -= n_blanks;
    if (n_blanks == 0 || !begins(line, "<seg>") || !ends(line, "</seg>") || line.len_bytes < 11)
        return false;
    *text = (struct t2_slice){line.data + 5, line.len_bytes - 11};
    return true;
}

/* Replaces "&name;" in out from `begin` on, with one blank after '&' allowed where loose is set. */
static void replace_entity(struct t2_buf *out, size_t begin, const char *name, char by, bool loose)
{
    size_t n = strlen(name), from = begin, to = begin;

    while (from < out->len_bytes) {
        const uint8_t *s = out->data + from;
        size_t left = out->len_bytes - from, skip = 1;
        skip += loose && *s == '&' && left > 1 && s[1] == ' ';
        if (*s == '&' && left >= skip + n && memcmp(s + skip, name, n) == 0) {
            out->data[to++] = (uint8_t) by;
            from += skip + n;
        } else {
            out->data[to++] = *s;
            from++;
        }
    }
    out->len_bytes = to;
    out->data[to] = '\0'; /* as every buffer */
}

void dg_tmx_decode(struct t2_slice text, struct t2_buf *out)
{
    static const struct {
        const char *name;
        char by;
        bool loose;
    } passes[] = {{"amp;", '&', false}, {"amp;", '&', true}, {"apos;", '\'', true},
                  {"quot;", '"', true}, {"lt;", '<', true},  {"gt;", '>', true}};
    size_t begin = out->len_bytes;

    t2_buf_append(out, text.data, text.len_bytes);
    if (text.len_bytes == 0 || !memchr(text.data, '&', text.len_bytes))
        return;
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        replace_entity(out, begin, passes[i].name, passes[i].by, passes[i].loose);
}
