/*
 * base/shown.c - control characters as escapes.
 *
 * Names and contents come from foreign files.  Printed as they are they could move the cursor,
 * recolour or retitle a terminal: by ESC sequences (C0), by their 8-bit forms U+0080..U+009F (C1),
 * or by bytes that are not UTF-8 and that some terminals read as C1.
 */
#include "base/shown.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

enum { ESCAPE_BYTES = 9 /* \xc2\x9b and NUL */ };

/* The length of the next piece at s (n bytes are left): one byte, or two for a C1 character.
 * `escape` is what is shown in its place, "" when the bytes stay. */
static size_t next_piece(const uint8_t *s, size_t n, bool is_utf8, bool keep_lf, char *escape)
{
    escape[0] = '\0';
    if (*s == '\n' && !keep_lf && n > 1 && s[1] != ' ')
        memcpy(escape, "\\n", 3);
    else if (*s == '\r')
        memcpy(escape, "\\r", 3);
    else if ((*s < 0x20 && *s != '\n' && *s != '\t') || *s == 0x7f || !is_utf8)
        snprintf(escape, ESCAPE_BYTES, "\\x%02x", *s);
    else if (*s == 0xc2 && n > 1 && s[1] >= 0x80 && s[1] < 0xa0) /* C1: 8-bit CSI is one of them */
        snprintf(escape, ESCAPE_BYTES, "\\x%02x\\x%02x", s[0], s[1]);
    return *s == 0xc2 && is_utf8 && n > 1 ? 2 : 1;
}

static size_t show(char *to, size_t to_bytes, const uint8_t *s, size_t n, bool keep_lf)
{
    size_t valid = t2_utf8_invalid_at(s, n), at = 0, done = 0;
    char escape[ESCAPE_BYTES];

    while (at < n) {
        size_t piece, length;

        if (at > valid) /* behind a byte that is not UTF-8 */
            valid = at + t2_utf8_invalid_at(s + at, n - at);
        piece = next_piece(s + at, n - at, at < valid, keep_lf, escape);
        length = escape[0] != '\0' ? strlen(escape) : piece;
        if (length > to_bytes - done)
            break;
        memcpy(to + done, escape[0] != '\0' ? (const uint8_t *) escape : s + at, length);
        done += length;
        at += piece;
    }
    return done;
}

size_t t2_show(char *to, size_t to_bytes, const char *s, size_t n)
{
    return show(to, to_bytes, (const uint8_t *) s, n, false);
}

void t2_show_lines(struct t2_slice text, struct t2_buf *shown)
{
    uint8_t *to = t2_buf_reserve(shown, 4 * text.len_bytes + 1);
    size_t n = show((char *) to, 4 * text.len_bytes, text.data, text.len_bytes, true);

    to[n] = '\0'; /* for t2_buf_cstr */
    shown->len_bytes += n;
}

void t2_show_out(struct t2_slice text, bool is_json, struct t2_out *out)
{
    struct t2_buf shown = {0};

    if (is_json)
        t2_buf_append(&shown, text.data, text.len_bytes);
    else
        t2_show_lines(text, &shown);
    t2_out_write(out, shown.data, shown.len_bytes);
    t2_buf_release(&shown);
}

void t2_show_stdout(struct t2_slice text)
{
    struct t2_buf shown = {0};

    t2_show_lines(text, &shown);
    (void) fwrite(t2_buf_cstr(&shown), 1, shown.len_bytes,
                  stdout); /* main looks at stdout's state */
    t2_buf_release(&shown);
}
