/*
 * tfrecord/fetch.c - random access to the records of a plain file.
 */
#include "tfrecord/fetch.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/io.h"
#include "tfrecord/framing.h"

/* Appends n_bytes at offset to buf, or what there is before the end of the file. */
static enum t2_status read_at(int fd, const char *path, uint64_t offset, size_t n_bytes,
                              struct t2_buf *buf, struct t2_err *err)
{
    size_t n;
    int errnum = t2_io_pread(fd, t2_buf_reserve(buf, n_bytes), n_bytes, offset, &n);

    buf->len_bytes += n;
    return errnum ? t2_fail_errno(err, errnum, "'%s': reading at offset %" PRIu64, path, offset)
                  : T2_OK;
}

static enum t2_status fail_short(const char *path, uint64_t offset, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT,
                   "'%s': record at offset %" PRIu64 ": the file ends inside the record", path,
                   offset);
}

enum t2_status tfr_fetch(int fd, const char *path, uint64_t offset, size_t guess_bytes,
                         struct t2_buf *buf, struct t2_slice *rec, struct t2_err *err)
{
    uint64_t length, left;
    off_t end;
    uint32_t crc;

    t2_buf_clear(buf);
    T2_TRY(read_at(fd, path, offset, TFR_FRAME_BYTES + guess_bytes, buf, err));
    if (buf->len_bytes < TFR_HEADER_BYTES)
        return fail_short(path, offset, err);
    if (!tfr_header_ok(buf->data))
        return t2_fail(err, T2_EFORMAT,
                       "'%s': no record at offset %" PRIu64 ": length CRC mismatch", path, offset);
    length = tfr_get_le64(buf->data);
    if (buf->len_bytes < TFR_FRAME_BYTES || length > buf->len_bytes - TFR_FRAME_BYTES) {
        /* The length is from the file: look at the size before making room for it. */
        end = lseek(fd, 0, SEEK_END);
        if (end < 0)
            return t2_fail_errno(err, errno, "'%s'", path);
        left = (uint64_t) end > offset ? (uint64_t) end - offset : 0;
        if (left < TFR_FRAME_BYTES || length > left - TFR_FRAME_BYTES)
            return fail_short(path, offset, err);
        T2_TRY(read_at(fd, path, offset + buf->len_bytes,
                       (size_t) length + TFR_FRAME_BYTES - buf->len_bytes, buf, err));
        if (buf->len_bytes < length + TFR_FRAME_BYTES)
            return fail_short(path, offset, err);
    }
    crc = tfr_get_le32(buf->data + TFR_HEADER_BYTES + length);
    if (crc != t2_crc_mask(t2_crc32c(0, buf->data + TFR_HEADER_BYTES, (size_t) length)))
        return t2_fail(err, T2_EFORMAT, "'%s': record at offset %" PRIu64 ": data CRC mismatch",
                       path, offset);
    rec->data = buf->data + TFR_HEADER_BYTES;
    rec->len_bytes = (size_t) length;
    return T2_OK;
}
