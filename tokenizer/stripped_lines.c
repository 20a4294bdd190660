/*
 * tokenizer/stripped_lines.c - the lines of a small text file.
 */
#include "tokenizer/stripped_lines.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "tokenizer/unicode.h"

enum { MAX_FILE_BYTES = 256 << 20 };

static size_t count_lines(const struct t2_buf *file)
{
    size_t n = 0;

    for (size_t i = 0; i < file->len_bytes; i++)
        n += file->data[i] == '\n';
    return n + (file->len_bytes > 0 && file->data[file->len_bytes - 1] != '\n');
}

static struct t2_slice add_line(const uint8_t *line, size_t len_bytes, struct t2_buf *text)
{
    size_t start = text->len_bytes, n;
    const uint8_t *s;

    for (size_t i = 0; i < len_bytes; i++)
        if (line[i] != '\r')
            t2_buf_push(text, line[i]);
    s = text->data + start;
    n = text->len_bytes - start;
    if (n > 0)
        tok_strip(&s, &n);
    return (struct t2_slice){s, n};
}

static enum t2_status split(const char *path, const struct t2_buf *file, struct tok_lines *l,
                            struct t2_err *err)
{
    size_t bad = tok_utf8_invalid_at(file->data, file->len_bytes);

    if (file->len_bytes == 0)
        return t2_fail(err, T2_EFORMAT, "'%s' is empty", path);
    if (bad < file->len_bytes)
        return t2_fail(err, T2_EFORMAT, "'%s': byte %zu is not UTF-8", path, bad);
    l->items = t2_alloc(count_lines(file), sizeof *l->items);
    t2_buf_reserve(&l->text, file->len_bytes); /* from here on it does not move */
    for (size_t at = 0; at < file->len_bytes;) {
        const uint8_t *line = file->data + at;
        const uint8_t *lf = memchr(line, '\n', file->len_bytes - at);
        size_t len = lf ? (size_t) (lf - line) : file->len_bytes - at;

        l->items[l->n++] = add_line(line, len, &l->text);
        at += len + 1;
    }
    return T2_OK;
}

enum t2_status tok_stripped_lines(const char *path, struct tok_lines *l, struct t2_err *err)
{
    struct t2_buf file = {NULL, 0, 0};
    enum t2_status st;

    *l = (struct tok_lines){.n = 0};
    st = t2_read_file(path, MAX_FILE_BYTES, &file, err);
    if (st == T2_OK)
        st = split(path, &file, l, err);
    if (st == T2_OK)
        t2_sha256_of(file.data, file.len_bytes, l->sha256);
    t2_buf_release(&file);
    return st;
}

void tok_lines_release(struct tok_lines *l)
{
    t2_buf_release(&l->text);
    t2_free(l->items);
    *l = (struct tok_lines){.n = 0};
}
