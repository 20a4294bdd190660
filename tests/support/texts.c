/*
 * tests/support/texts.c - see texts.h.
 */
#include "tests/support/texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tests/support/t.h"

void t_texts_add(struct t_texts *l, const void *text, size_t len_bytes)
{
    if (l->n == l->capacity) {
        l->capacity = l->capacity * 2 + 64;
        l->ends = realloc(l->ends, l->capacity * sizeof *l->ends);
        assert_non_null(l->ends);
    }
    t2_buf_append(&l->bytes, text, len_bytes);
    l->ends[l->n++] = l->bytes.len_bytes;
}

struct t2_slice t_texts_at(const struct t_texts *l, size_t i)
{
    size_t start = i > 0 ? l->ends[i - 1] : 0;

    assert_true(i < l->n);
    return (struct t2_slice){l->bytes.data + start, l->ends[i] - start};
}

void t_texts_release(struct t_texts *l)
{
    t2_buf_release(&l->bytes);
    free(l->ends);
    memset(l, 0, sizeof *l);
}

/* ---- JSON ---- */

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " \t\r\n");
}

static void put(struct t2_buf *out, unsigned long c)
{
    if (c < 0x80) {
        t2_buf_push(out, (uint8_t) c);
        return;
    }
    if (c < 0x800) {
        t2_buf_push(out, (uint8_t) (0xC0 | c >> 6));
    } else {
        if (c < 0x10000) {
            t2_buf_push(out, (uint8_t) (0xE0 | c >> 12));
        } else {
            t2_buf_push(out, (uint8_t) (0xF0 | c >> 18));
            t2_buf_push(out, (uint8_t) (0x80 | (c >> 12 & 0x3F)));
        }
        t2_buf_push(out, (uint8_t) (0x80 | (c >> 6 & 0x3F)));
    }
    t2_buf_push(out, (uint8_t) (0x80 | (c & 0x3F)));
}

static unsigned long hex4(const char *s)
{
    char digits[5] = {0};

    memcpy(digits, s, 4);
    return strtoul(digits, NULL, 16);
}

bool t_json_string(const char **at, struct t2_buf *out)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *s, *found;

    skip_blanks(at);
    s = *at;
    if (*s++ != '"')
        return false;
    for (; *s != '"'; s++) {
        assert_int_not_equal(*s, 0);
        if (*s != '\\') {
            t2_buf_push(out, (uint8_t) *s);
        } else if (*++s == 'u') {
            unsigned long c = hex4(s + 1);

            s += 4;
            if (c >= 0xD800 && c < 0xDC00 && s[1] == '\\' && s[2] == 'u' && hex4(s + 3) >= 0xDC00 &&
                hex4(s + 3) < 0xE000) {
                c = 0x10000 + ((c - 0xD800) << 10) + (hex4(s + 3) - 0xDC00);
                s += 6;
            }
            put(out, c);
        } else {
            found = strchr(from, *s);
            t2_buf_push(out, (uint8_t) (found ? to[found - from] : *s));
        }
    }
    *at = s + 1;
    return true;
}

void t_json_texts(const char *path, struct t_texts *l)
{
    struct t2_buf text = {NULL, 0, 0}, file = {NULL, 0, 0};
    const char *at;

    t_read_unpacked(path, &file);
    t2_buf_push(&file, 0);
    at = (const char *) file.data;
    skip_blanks(&at);
    assert_int_equal(*at, '[');
    do {
        at++;
        t2_buf_clear(&text);
        if (t_json_string(&at, &text))
            t_texts_add(l, text.data ? text.data : (const uint8_t *) "", text.len_bytes);
        skip_blanks(&at);
    } while (*at == ',');
    assert_int_equal(*at, ']');
    t2_buf_release(&text);
    t2_buf_release(&file);
}

void t_join_surrogates(struct t2_buf *text)
{
    uint8_t *s = text->data;
    size_t n = text->len_bytes;

    for (size_t i = 0; i + 6 <= n; i++) {
        unsigned long c;

        if (s[i] != 0xED || s[i + 1] < 0xA0 || s[i + 1] > 0xAF || s[i + 3] != 0xED ||
            s[i + 4] < 0xB0)
            continue;
        c = 0x10000 + (((s[i + 1] & 0x0Ful) << 6 | (s[i + 2] & 0x3Ful)) << 10) +
            ((s[i + 4] & 0x0Ful) << 6 | (s[i + 5] & 0x3Ful));
        s[i] = (uint8_t) (0xF0 | c >> 18);
        s[i + 1] = (uint8_t) (0x80 | (c >> 12 & 0x3F));
        s[i + 2] = (uint8_t) (0x80 | (c >> 6 & 0x3F));
        s[i + 3] = (uint8_t) (0x80 | (c & 0x3F));
        memmove(s + i + 4, s + i + 6, n - i - 6);
        n -= 2;
    }
    text->len_bytes = n;
}

/* ---- files ---- */

void t_read_unpacked(const char *path, struct t2_buf *out)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_in *in;
    size_t n;

    t2_buf_clear(out);
    if (t2_in_new(path, &in, &err) != T2_OK)
        fail_msg("%s", err.message);
    do {
        uint8_t *to = t2_buf_reserve(out, 1 << 16);

        if (t2_in_read(in, to, 1 << 16, &n, &err) != T2_OK)
            fail_msg("%s", err.message);
        out->len_bytes += n;
    } while (n > 0);
    t2_buf_push(out, 0);
    out->len_bytes--;
    t2_in_free(in);
}

void t_read_lines(const char *path, struct t_texts *l)
{
    struct t2_buf file;

    t2_buf_init(&file);
    t_read_unpacked(path, &file);
    for (size_t at = 0; at < file.len_bytes;) {
        const uint8_t *from = file.data + at;
        const uint8_t *lf = memchr(from, '\n', file.len_bytes - at);
        size_t n = lf ? (size_t) (lf - from) : file.len_bytes - at;

        t_texts_add(l, from, n);
        at += n + 1;
    }
    t2_buf_release(&file);
}

static uint32_t le(const uint8_t *p, int n)
{
    uint32_t v = 0;

    while (n-- > 0)
        v = v << 8 | p[n];
    return v;
}

/* A deflated zip member is a gzip member with another header. */
bool t_unzip_to_gzip(const char *zip, const char *member, const char *path)
{
    static const uint8_t header[10] = {0x1F, 0x8B, 8};
    size_t n, end, found = 0, name_len = strlen(member);
    uint8_t *z = (uint8_t *) t_read_file(zip, &n);

    end = n >= 22 ? n - 22 : 0;
    while (end > 0 && le(z + end, 4) != 0x06054B50)
        end--;
    for (size_t at = end > 0 ? le(z + end + 16, 4) : n; at + 46 <= n && le(z + at, 4) == 0x02014B50;
         at += 46 + le(z + at + 28, 2) + le(z + at + 30, 2) + le(z + at + 32, 2)) {
        if (le(z + at + 28, 2) == name_len && memcmp(z + at + 46, member, name_len) == 0 &&
            le(z + at + 10, 2) == 8)
            found = at;
    }
    if (found > 0) {
        size_t local = le(z + found + 42, 4), size = le(z + found + 20, 4);
        struct t2_buf out;

        local += 30 + le(z + local + 26, 2) + le(z + local + 28, 2);
        t2_buf_init(&out);
        t2_buf_append(&out, header, sizeof header);
        t2_buf_append(&out, z + local, size);
        t2_buf_append(&out, z + found + 16, 4); /* CRC-32 */
        t2_buf_append(&out, z + found + 24, 4); /* length */
        t_write_file(path, out.data, out.len_bytes);
        t2_buf_release(&out);
    }
    free(z);
    return found > 0;
}
