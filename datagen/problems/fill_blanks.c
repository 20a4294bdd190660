/*
 * datagen/problems/fill_blanks.c - a text becomes two with gaps.
 */
#include "datagen/problems/fill_blanks.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "tokenizer/unicode.h"

static size_t count_parts(struct t2_slice text)
{
    size_t n = 1;

    for (size_t i = 0; i < text.len_bytes; i++)
        n += text.data[i] == ' ';
    return n;
}

static void append(struct t2_buf *to, const void *part, size_t len_bytes, bool *has_parts)
{
    if (*has_parts)
        t2_buf_push(to, ' ');
    *has_parts = true;
    t2_buf_append(to, part, len_bytes);
}

void dg_fill_blanks(struct t2_mt *mt, struct t2_slice text, struct t2_buf *first,
                    struct t2_buf *second)
{
    struct t2_slice words = text;
    struct t2_buf *out[2] = {first, second};
    bool has_parts[2] = {false, false}, *cut;
    size_t n, n_cuts;
    int part;

    t2_buf_clear(first);
    t2_buf_clear(second);
    if (words.len_bytes)
        tok_strip(&words.data, &words.len_bytes);
    n = count_parts(words);
    if (n <= 1) {
        t2_buf_append(first, text.data, text.len_bytes);
        return;
    }
    cut = t2_alloc(n, sizeof *cut);
    cut[0] = true;
    n_cuts = (size_t) exp(log((double) n) * t2_mt_random(mt));
    for (size_t i = 0; i < n_cuts; i++)
        cut[1 + t2_mt_below(mt, n - 1)] = true;
    part = (int) t2_mt_below(mt, 2);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *end = memchr(words.data, ' ', words.len_bytes);
        size_t len = end ? (size_t) (end - words.data) : words.len_bytes;
        if (cut[i]) {
            append(out[part], "X", 1, &has_parts[part]);
            part = 1 - part;
        }
        append(out[part], words.data, len, &has_parts[part]);
        words.data += len + (end != NULL);
        words.len_bytes -= len + (end != NULL);
    }
    t2_free(cut);
}
