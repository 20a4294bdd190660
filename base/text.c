/*
 * base/text.c - byte streams and lines of plain and compressed files: t2_in of text.h.
 *
 * Raw bytes come from the descriptor into `raw`; readers take from `window`, which is `raw` itself
 * for plain files and the decompressed bytes otherwise.
 *
 *   descriptor | source --read_raw--> raw (256 KiB) ---- plain ----------------> window --> reader
 *                                       \--- inflate_more --> inflated (256 KiB) --/
 *
 * A compressed file may be several gzip or zlib members one behind the other, as `cat a.gz b.gz`
 * makes them, with zero bytes between or behind them (tapes, block devices).  The kind is found
 * from the first bytes and not from the name.
 */
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/gzip.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/log.h"
#include "base/str.h"

enum { BUFFER_BYTES = 1 << 18, ZLIB_HEAD_BYTES = 512, LEAST_LINE_LIMIT = 1 << 20 };
/* Longer "lines" are no text; without a limit they would take all memory. */
static const size_t MAX_LINE_BYTES = (size_t) 1 << 30;

enum kind { UNKNOWN, PLAIN, GZIP, ZLIB };

struct t2_in {
    char *path;
    int fd;              /* -1: bytes come from `source` */
    t2_in_source source; /* NULL: from fd */
    void *context;
    bool ignore_trailing, fast;
    enum kind kind;
    bool (*is_plain)(const uint8_t *head, size_t n_bytes); /* NULL: the bytes alone decide */
    size_t head_bytes;                                     /* most that is_plain gets */

    uint8_t *raw;           /* BUFFER_BYTES */
    size_t raw_at, raw_end; /* of raw, not yet inflated; plain files are read through window */
    uint64_t raw_total;     /* bytes read from fd */
    bool raw_eof;
    struct t2_sha256 *sha256; /* of the raw bytes; NULL = off */

    struct t2_inflater *inflater;
    uint8_t *inflated; /* BUFFER_BYTES; NULL for plain files */
    uint64_t member;   /* number of the current member, from 1 */
    bool in_member;

    const uint8_t *window; /* bytes not yet given */
    size_t window_bytes;

    struct t2_buf line;                /* a line that crosses windows */
    uint64_t line_number, line_offset; /* of the last line; where the next begins, unpacked */
    uint64_t line_limit;               /* a share of memory; 0: none */
    uint64_t most_line_bytes;          /* 0: MAX_LINE_BYTES */
};

enum t2_status t2_in_new(const char *path, struct t2_in **in, struct t2_err *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = STDIN_FILENO;
    struct t2_in *t;

    if (!is_stdin)
        T2_TRY(t2_open_input(path, true, &fd, NULL, err));
    (void) posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    t = t2_alloc(1, sizeof *t);
    t->path = t2_strdup(path);
    t->fd = fd;
    t->raw = t2_alloc(BUFFER_BYTES, 1);
    *in = t;
    return T2_OK;
}

void t2_in_new_from(const char *name, t2_in_source read, void *context, struct t2_in **in)
{
    struct t2_in *t = t2_alloc(1, sizeof *t);

    t->path = t2_strdup(name);
    t->fd = -1;
    t->source = read;
    t->context = context;
    t->raw = t2_alloc(BUFFER_BYTES, 1);
    *in = t;
}

void t2_in_ignore_trailing(struct t2_in *in)
{
    in->ignore_trailing = true;
}

void t2_in_fast(struct t2_in *in)
{
    T2_ASSERT(in->raw_total == 0);
    in->fast = true;
}

bool t2_in_is_compressed(const struct t2_in *in)
{
    return in->kind == GZIP || in->kind == ZLIB;
}

void t2_in_plain_when(struct t2_in *in, size_t n_bytes,
                      bool (*is_plain)(const uint8_t *head, size_t n_bytes))
{
    T2_ASSERT(in->raw_total == 0 && n_bytes <= ZLIB_HEAD_BYTES);
    in->is_plain = is_plain;
    in->head_bytes = n_bytes;
}

void t2_in_free(struct t2_in *in)
{
    if (!in)
        return;
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    t2_sha256_free(in->sha256);
    t2_inflater_free(in->inflater);
    t2_buf_release(&in->line);
    t2_free(in->inflated);
    t2_free(in->raw);
    t2_free(in->path);
    t2_free(in);
}

const char *t2_in_path(const struct t2_in *in)
{
    return in->path;
}

void t2_in_hash_on(struct t2_in *in)
{
    T2_ASSERT(in->raw_total == 0);
    if (!in->sha256)
        in->sha256 = t2_sha256_new();
}

void t2_in_sha256(struct t2_in *in, char hex[65], uint64_t *raw_bytes)
{
    T2_ASSERT(in->sha256);
    t2_sha256_peek(in->sha256, hex);
    if (raw_bytes)
        *raw_bytes = in->raw_total;
}

static enum t2_status read_fd(const struct t2_in *in, void *data, size_t len_bytes, size_t *n_read,
                              struct t2_err *err)
{
    return t2_io_read_stream(in->fd, in->path, data, len_bytes, n_read, err);
}

/* Adds raw bytes behind raw_end, at least one unless the file is at its end. */
static enum t2_status read_raw(struct t2_in *in, struct t2_err *err)
{
    uint8_t *to = in->raw + in->raw_end;
    size_t room = BUFFER_BYTES - in->raw_end, n = 0;

    T2_TRY(in->source ? in->source(in->context, to, room, &n, err)
                      : read_fd(in, to, room, &n, err));
    if (in->sha256)
        t2_sha256_update(in->sha256, to, n);
    in->raw_end += n;
    in->raw_total += n;
    in->raw_eof = n == 0;
    return T2_OK;
}

static enum t2_status refill_raw(struct t2_in *in, struct t2_err *err)
{
    in->raw_at = in->raw_end = 0;
    return in->raw_eof ? T2_OK : read_raw(in, err);
}

/* Valid UTF-8, the last character of a full buffer perhaps cut. */
static bool looks_like_text(const struct t2_in *in)
{
    size_t valid = t2_utf8_invalid_at(in->raw, in->raw_end);

    return valid == in->raw_end || (!in->raw_eof && valid + 3 >= in->raw_end && valid > 3);
}

static bool is_zlib_header(const uint8_t *p)
{
    return p[0] == 0x78 && (p[1] == 0x01 || p[1] == 0x5e || p[1] == 0x9c || p[1] == 0xda);
}

/* A text may start with "x^", which is also a header of zlib: such a file is a zlib stream only
 * when it is not UTF-8. */
static enum kind kind_of(const struct t2_in *in)
{
    const uint8_t *p = in->raw;

    if (in->is_plain &&
        in->is_plain(p, in->raw_end < in->head_bytes ? in->raw_end : in->head_bytes))
        return PLAIN;
    if (in->raw_end >= 2 && p[0] == 0x1f && p[1] == 0x8b)
        return GZIP;
    if (in->raw_end >= 2 && is_zlib_header(p) && !looks_like_text(in))
        return ZLIB;
    return PLAIN;
}

/* Bytes needed to decide on the kind, after the first two are there. */
static size_t kind_bytes(const struct t2_in *in)
{
    if (is_zlib_header(in->raw))
        return ZLIB_HEAD_BYTES;
    return in->raw[0] == 0x1f && in->raw[1] == 0x8b ? in->head_bytes : 2;
}

static enum t2_status find_kind(struct t2_in *in, struct t2_err *err)
{
    /* A pipe may give less than is needed to decide.  No more than that is waited for: lines may
     * come from a terminal. */
    while (!in->raw_eof && (in->raw_end < 2 || in->raw_end < kind_bytes(in)))
        T2_TRY(read_raw(in, err));
    in->kind = kind_of(in);
    if (in->kind == PLAIN) {
        in->window = in->raw;
        in->window_bytes = in->raw_end;
        return T2_OK;
    }
    in->inflater =
        in->kind == GZIP && in->fast ? t2_inflater_new_fast() : t2_inflater_new(in->kind == GZIP);
    in->inflated = t2_alloc(BUFFER_BYTES, 1);
    in->member = 1;
    in->in_member = true;
    return T2_OK;
}

static const char *kind_name(const struct t2_in *in)
{
    return in->kind == GZIP ? "gzip" : "zlib";
}

static uint64_t raw_offset(const struct t2_in *in)
{
    return in->raw_total - (in->raw_end - in->raw_at);
}

/* Between members: zero padding, another member, the end, or something that does not belong. */
static enum t2_status start_next_member(struct t2_in *in, bool *at_end, struct t2_err *err)
{
    uint8_t magic = in->kind == GZIP ? 0x1f : 0x78;

    *at_end = false;
    for (;;) {
        if (in->raw_at == in->raw_end) {
            T2_TRY(refill_raw(in, err));
            if (in->raw_end == 0) {
                *at_end = true;
                return T2_OK;
            }
        }
        if (in->raw[in->raw_at] != 0)
            break;
        in->raw_at++;
    }
    if (in->raw[in->raw_at] != magic && in->ignore_trailing) {
        t2_warn("'%s': what follows the %s data at offset %" PRIu64 " is left out", in->path,
                kind_name(in), raw_offset(in));
        in->raw_at = in->raw_end;
        in->raw_eof = *at_end = true;
        return T2_OK;
    }
    if (in->raw[in->raw_at] != magic)
        return t2_fail(err, T2_EFORMAT, "'%s': bytes that are not %s follow at offset %" PRIu64,
                       in->path, kind_name(in), raw_offset(in));
    t2_inflater_reset(in->inflater);
    in->in_member = true;
    in->member++;
    return T2_OK;
}

/* Fills the window with decompressed bytes; it stays empty at the end. */
static enum t2_status inflate_more(struct t2_in *in, struct t2_err *err)
{
    while (in->window_bytes == 0) {
        size_t n_used, n_made;
        bool ended, at_end;
        const char *problem;

        if (!in->in_member) {
            T2_TRY(start_next_member(in, &at_end, err));
            if (at_end)
                return T2_OK;
        }
        if (in->raw_at == in->raw_end)
            T2_TRY(refill_raw(in, err));
        problem = t2_inflater_step(in->inflater, in->raw + in->raw_at, in->raw_end - in->raw_at,
                                   in->inflated, BUFFER_BYTES, &n_used, &n_made, &ended);
        in->raw_at += n_used;
        if (problem)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': damaged %s data near offset %" PRIu64 " (member %" PRIu64 "): %s",
                           in->path, kind_name(in), raw_offset(in), in->member, problem);
        if (ended)
            in->in_member = false;
        else if (n_used == 0 && n_made == 0 && in->raw_eof)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': %s data is cut short at offset %" PRIu64 " (member %" PRIu64 ")",
                           in->path, kind_name(in), in->raw_total, in->member);
        in->window = in->inflated;
        in->window_bytes = n_made;
    }
    return T2_OK;
}

/* Makes the window hold something; empty = the end. */
static enum t2_status fill_window(struct t2_in *in, struct t2_err *err)
{
    if (in->window_bytes > 0)
        return T2_OK;
    if (in->kind == UNKNOWN) {
        T2_TRY(find_kind(in, err));
        if (in->window_bytes > 0)
            return T2_OK;
    }
    if (in->kind != PLAIN)
        return inflate_more(in, err);
    T2_TRY(refill_raw(in, err));
    in->window = in->raw;
    in->window_bytes = in->raw_end;
    return T2_OK;
}

enum t2_status t2_in_read(struct t2_in *in, void *data, size_t len_bytes, size_t *n_read,
                          struct t2_err *err)
{
    size_t n;

    *n_read = 0;
    if (len_bytes == 0)
        return T2_OK;
    T2_TRY(fill_window(in, err));
    n = len_bytes < in->window_bytes ? len_bytes : in->window_bytes;
    if (n > 0)
        memcpy(data, in->window, n);
    in->window += n;
    in->window_bytes -= n;
    *n_read = n;
    return T2_OK;
}

/*
 * The unpacked size: of a plain file that of the file, of a compressed one what inflating it
 * gives, since gzip's own length field is modulo 2^32 and of the last member only.
 */
enum t2_status t2_text_bytes(const char *path, uint64_t *bytes, struct t2_err *err)
{
    struct t2_in *in = NULL;
    struct stat s;
    enum t2_status st;

    *bytes = 0;
    T2_TRY(t2_in_new(path, &in, err));
    while ((st = fill_window(in, err)) == T2_OK && in->window_bytes > 0) {
        if (in->kind == PLAIN && fstat(in->fd, &s) == 0 && S_ISREG(s.st_mode)) {
            *bytes = (uint64_t) s.st_size;
            break;
        }
        *bytes += in->window_bytes;
        in->window_bytes = 0;
    }
    t2_in_free(in);
    return st;
}

void t2_in_limit_line(struct t2_in *in, uint64_t max_memory)
{
    in->line_limit = max_memory / T2_LINE_SHARE;
    if (max_memory > 0 && in->line_limit < LEAST_LINE_LIMIT)
        in->line_limit = LEAST_LINE_LIMIT;
}

void t2_in_most_line(struct t2_in *in, uint64_t len_bytes)
{
    in->most_line_bytes = len_bytes;
}

static enum t2_status fail_long_line(const char *path, uint64_t line_number, uint64_t most_bytes,
                                     struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 " is longer than %" PRIu64 " bytes", path,
                   line_number, most_bytes);
}

enum t2_status t2_in_check_line(const struct t2_in *in, uint64_t line_number, uint64_t offset,
                                uint64_t len_bytes, struct t2_err *err)
{
    char human[32];

    if (in->line_limit > 0 && len_bytes > in->line_limit)
        return t2_fail(
            err, T2_ENOMEM,
            "'%s': line %" PRIu64 ", from byte %" PRIu64 " on, is longer than %s, which "
            "is what one line may have of --max_memory: raise it, or end the lines where "
            "samples end (are the line ends CR alone? tr '\\r' '\\n')",
            in->path, line_number, offset, t2_human_bytes(in->line_limit, human, sizeof human));
    if (len_bytes > MAX_LINE_BYTES)
        return fail_long_line(in->path, line_number, MAX_LINE_BYTES, err);
    return T2_OK;
}

/*
 * A line that lies in the window as a whole is given as it stands there; only one that crosses the
 * end of a window is copied into `line`.
 */
enum t2_status t2_in_line(struct t2_in *in, struct t2_slice *line, struct t2_err *err)
{
    t2_buf_clear(&in->line);
    for (;;) {
        const uint8_t *lf;
        size_t n;

        T2_TRY(fill_window(in, err));
        if (in->window_bytes == 0) {
            if (in->line.len_bytes == 0)
                return T2_EOF;
            break;
        }
        lf = memchr(in->window, '\n', in->window_bytes);
        n = lf ? (size_t) (lf - in->window) : in->window_bytes;
        T2_TRY(t2_in_check_line(in, in->line_number + 1, in->line_offset, in->line.len_bytes + n,
                                err));
        if (in->most_line_bytes > 0 && in->line.len_bytes + n > in->most_line_bytes)
            return fail_long_line(in->path, in->line_number + 1, in->most_line_bytes, err);
        if (lf && in->line.len_bytes == 0) { /* the usual case: no copy */
            *line = (struct t2_slice){in->window, n};
            in->window += n + 1;
            in->window_bytes -= n + 1;
            in->line_number++;
            in->line_offset += n + 1;
            return T2_OK;
        }
        t2_buf_append(&in->line, in->window, n);
        in->window += n + (lf != NULL);
        in->window_bytes -= n + (lf != NULL);
        if (lf)
            break;
    }
    *line = t2_buf_slice(&in->line);
    in->line_number++;
    in->line_offset += in->line.len_bytes + 1;
    return T2_OK;
}

uint64_t t2_in_next_offset(const struct t2_in *in)
{
    return in->line_offset;
}

uint64_t t2_in_line_number(const struct t2_in *in)
{
    return in->line_number;
}

size_t t2_delete_cr(uint8_t *s, size_t len_bytes)
{
    uint8_t *out = len_bytes ? memchr(s, '\r', len_bytes) : NULL;

    if (!out)
        return len_bytes;
    for (const uint8_t *in = out; in < s + len_bytes; in++) {
        if (*in != '\r')
            *out++ = *in;
    }
    return (size_t) (out - s);
}
