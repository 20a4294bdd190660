/*
 * tfrecord/compress.c - names of the compressions, and which one a file has.
 */
#include "tfrecord/compress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "tfrecord/bgzip.h"
#include "tfrecord/framing.h"
#include "tfrecord/looks_like.h"

static const char *const names[] = {"none", "gzip", "zlib", "bgzip"};

const char *tfr_compression_name(enum tfr_compression c)
{
    return names[c];
}

bool tfr_compression_parse(const char *name, enum tfr_compression *c)
{
    *c = TFR_PLAIN;
    if (name[0] == '\0')
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(name, names[i]) == 0) {
            *c = (enum tfr_compression) i;
            return true;
        }
    }
    return false;
}

enum tfr_compression tfr_compression_of_bytes(const uint8_t *head, size_t n, uint64_t size)
{
    if (n >= TFR_HEADER_BYTES && tfr_header_ok(head))
        return TFR_PLAIN;
    if (tfr_maybe_gzip(head, n))
        return tfr_bgzip_block_bytes(head, n) > 0 ? TFR_BGZIP : TFR_GZIP;
    /* As in source.c: the two bytes of a zlib header are also the length 376 of a damaged
     * header. */
    if (tfr_maybe_zlib(head, n) && (n < TFR_LENGTH_BYTES || tfr_get_le64(head) > size))
        return TFR_ZLIB;
    return TFR_PLAIN;
}

enum t2_status tfr_compression_of(const char *path, enum tfr_compression *c, struct t2_err *err)
{
    uint8_t head[TFR_BGZIP_HEADER_BYTES];
    struct stat info;
    size_t n;
    int fd, errnum;

    *c = TFR_PLAIN;
    T2_TRY(t2_open_input(path, false, &fd, &info, err));
    errnum = t2_io_pread(fd, head, sizeof head, 0, &n);
    (void) close(fd);
    if (errnum)
        return t2_fail_errno(err, errnum, "cannot read '%s'", path);
    *c = tfr_compression_of_bytes(head, n, (uint64_t) info.st_size);
    return T2_OK;
}
