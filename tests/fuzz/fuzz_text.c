/*
 * tests/fuzz/fuzz_text.c - base/text.c, gzip.c, utf8.c: any file gives lines or an error with a
 * message, and reading by lines and by pieces gives the same bytes and the same verdict.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum t2_status by_lines(const char *path, struct t2_buf *all, struct t2_err *err)
{
    struct t2_in *in;
    struct t2_slice line;
    enum t2_status st;

    if (t2_in_new(path, &in, err) != T2_OK)
        abort();
    while ((st = t2_in_line(in, &line, err)) == T2_OK) {
        if (line.len_bytes > 0 && memchr(line.data, '\n', line.len_bytes))
            abort();
        t2_buf_append(all, line.data, line.len_bytes);
        t2_buf_push(all, '\n');
    }
    t2_in_free(in);
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status by_pieces(const char *path, struct t2_buf *all, struct t2_err *err)
{
    uint8_t piece[37];
    struct t2_in *in;
    enum t2_status st;
    size_t n;

    if (t2_in_new(path, &in, err) != T2_OK)
        abort();
    while ((st = t2_in_read(in, piece, sizeof piece, &n, err)) == T2_OK && n > 0)
        t2_buf_append(all, piece, n);
    t2_in_free(in);
    return st;
}

static void check_utf8(const uint8_t *data, size_t size)
{
    size_t valid = t2_utf8_invalid_at(data, size);

    if (valid > size || t2_utf8_invalid_at(data, valid) != valid)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_err err_lines = T2_ERR_INIT, err_pieces = T2_ERR_INIT;
    struct t2_buf lines = {0}, pieces = {0};
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    enum t2_status st_lines, st_pieces;
    char path[64];

    check_utf8(data, size);
    if (fd < 0 || write(fd, data, size) != (ssize_t) size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    st_lines = by_lines(path, &lines, &err_lines);
    st_pieces = by_pieces(path, &pieces, &err_pieces);
    if (st_lines != st_pieces || strcmp(err_lines.message, err_pieces.message) != 0)
        abort();
    if (st_lines == T2_OK) {
        if (pieces.len_bytes > 0 && pieces.data[pieces.len_bytes - 1] != '\n')
            t2_buf_push(&pieces, '\n');
        if (!t2_slice_eq(t2_buf_slice(&lines), t2_buf_slice(&pieces)))
            abort();
    } else if (err_lines.message[0] == '\0') {
        abort();
    }
    t2_buf_release(&lines);
    t2_buf_release(&pieces);
    close(fd);
    return 0;
}
