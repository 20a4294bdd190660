/*
 * datagen/source/archive_in_place.c - where the members of a tar archive lie in its file.
 *
 * libarchive reads the headers out of the file, or out of the part of it that an archive within it
 * is, and jumps over the contents; how many bytes it has used after a header is where they begin.
 */
#include "datagen/source/archive_in_place.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"
#include "datagen/source/archive_kind.h"
#include "datagen/source/archive_library.h"

/* Bytes read at a time: a header of 512 bytes with a PAX header before it.  Larger reads would read
 * contents that are then skipped. */
enum { HEADER_BYTES = 4096, BLOCK_BYTES = 512 };

struct in_place {
    const char *shown;
    int fd;
    uint64_t begin, at, end; /* of the archive in the file; at: what libarchive gets next */
    uint64_t last;           /* where the last member ends */
    struct archive *reader;
    uint8_t chunk[HEADER_BYTES];
    struct t2_err failure; /* in a callback */
};

/* Up to n bytes; *n_read is less only at the end of the file. */
static enum t2_status read_at(int fd, const char *shown, uint64_t offset, uint8_t *to, size_t n,
                              size_t *n_read, struct t2_err *err)
{
    int errnum = t2_io_pread(fd, to, n, offset, n_read);

    return errnum ? t2_fail_errno(err, errnum, "cannot read '%s'", shown) : T2_OK;
}

static la_ssize_t give(struct archive *reader, void *context, const void **data)
{
    struct in_place *a = context;
    size_t n = 0, want = a->end - a->at < HEADER_BYTES ? (size_t) (a->end - a->at) : HEADER_BYTES;

    (void) reader;
    *data = a->chunk;
    if (read_at(a->fd, a->shown, a->at, a->chunk, want, &n, &a->failure) != T2_OK)
        return -1;
    a->at += n;
    return (la_ssize_t) n;
}

static la_int64_t skip(struct archive *reader, void *context, la_int64_t n)
{
    struct in_place *a = context;

    (void) reader;
    if ((uint64_t) n > a->end - a->at) /* cut short: reading on will say so */
        return 0;
    a->at += (uint64_t) n;
    return n;
}

static enum t2_status damaged(const struct in_place *a, struct t2_err *err)
{
    const char *text = archive_error_string(a->reader);

    if (a->failure.status != T2_OK) {
        *err = a->failure;
        return err->status;
    }
    if (archive_errno(a->reader) == ENOMEM)
        t2_out_of_memory("'%s': %s", a->shown, text ? text : "libarchive has none");
    return t2_fail(err, T2_EFORMAT, "'%s': %s", a->shown, text ? text : "damaged");
}

/* Only an uncompressed tar is accepted; the error names what the file is instead. */
static enum t2_status check_kind(const struct in_place *a, struct t2_err *err)
{
    uint8_t head[DG_KIND_BYTES];
    size_t n = 0,
           want = a->end - a->begin < sizeof head ? (size_t) (a->end - a->begin) : sizeof head;

    T2_TRY(read_at(a->fd, a->shown, a->begin, head, want, &n, err));
    switch (dg_bytes_kind(head, n)) {
    case DG_BYTES_TAR:
    case DG_BYTES_ZEROS:
        return T2_OK;
    case DG_BYTES_GZIP:
    case DG_BYTES_BZIP2:
    case DG_BYTES_XZ:
    case DG_BYTES_ZIP:
        return t2_fail(err, T2_EFORMAT,
                       "'%s' is compressed, and only plain tar archives are read where they lie: "
                       "unpack it",
                       a->shown);
    case DG_BYTES_WEB_PAGE:
        return t2_fail(err, T2_EFORMAT, "'%s' is a web page that was saved in place of the archive",
                       a->shown);
    case DG_BYTES_LFS_POINTER:
        return t2_fail(err, T2_EFORMAT, "'%s' is a pointer of Git LFS, not the archive", a->shown);
    default:
        return t2_fail(err, T2_EFORMAT, "'%s' is no tar archive", a->shown);
    }
}

/* The reason to refuse a member; NULL: it is accepted, or is a folder. */
static const char *why_refused(struct archive_entry *e, const char **name)
{
    mode_t kind = archive_entry_filetype(e);
    const char *why;

    if (kind == AE_IFDIR && (strcmp(*name, ".") == 0 || strcmp(*name, "./") == 0))
        return NULL;
    why = dg_member_name(name);
    if (why)
        return why;
    if (archive_entry_symlink(e) || archive_entry_hardlink(e))
        return "a link as its contents";
    if (kind != AE_IFREG && kind != AE_IFDIR)
        return "a device or pipe as its contents";
    return archive_entry_sparse_count(e) > 0 ? "holes" : NULL;
}

static enum t2_status take(struct in_place *a, struct archive_entry *e, dg_see_member see,
                           void *context, struct t2_err *err)
{
    const char *name = archive_entry_pathname(e), *why;
    struct dg_place place = {a->begin + (uint64_t) archive_filter_bytes(a->reader, 0), 0};

    if (!name)
        name = archive_entry_pathname_utf8(e);
    if (!name)
        return t2_fail(err, T2_EFORMAT, "'%s': the name of a member cannot be read", a->shown);
    why = why_refused(e, &name);
    if (why)
        return dg_refuse_member(a->shown, name, why, err);
    if (archive_entry_filetype(e) == AE_IFDIR)
        return T2_OK;
    place.bytes = archive_entry_size(e) < 0 ? UINT64_MAX : (uint64_t) archive_entry_size(e);
    if (place.offset > a->end || place.bytes > a->end - place.offset)
        return t2_fail(err, T2_EFORMAT, "'%s': was cut short in member '%s'", a->shown, name);
    a->last = place.offset + place.bytes;
    return see(context, name, &place, err);
}

static enum t2_status walk(struct in_place *a, dg_see_member see, void *context, struct t2_err *err)
{
    struct archive_entry *e;
    uint64_t used;
    int rc;

    a->reader = archive_read_new();
    if (!a->reader || archive_read_support_format_tar(a->reader) != ARCHIVE_OK)
        t2_out_of_memory("libarchive cannot read '%s'", a->shown);
    if (archive_read_open2(a->reader, a, NULL, give, skip, NULL) != ARCHIVE_OK)
        return damaged(a, err);
    while ((rc = archive_read_next_header(a->reader, &e)) != ARCHIVE_EOF) {
        if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN)
            return damaged(a, err);
        T2_TRY(take(a, e, see, context, err));
    }
    /* Members are filled up to whole blocks; one of zeros, and more, ends the archive. */
    used = a->last - a->begin + (BLOCK_BYTES - 1);
    if (a->end - a->begin < used - used % BLOCK_BYTES + BLOCK_BYTES)
        return t2_fail(err, T2_EFORMAT, "'%s': was cut short: the end of the archive is missing",
                       a->shown);
    return T2_OK;
}

static enum t2_status open_part(struct in_place *a, const char *path, const struct dg_place *place,
                                struct t2_err *err)
{
    uint64_t bytes;

    T2_TRY(dg_archive_library_open(err));
    T2_TRY(t2_file_size(path, &bytes, err));
    if (place && (place->offset > bytes || place->bytes > bytes - place->offset))
        return t2_fail(err, T2_EFORMAT, "'%s' was cut short", a->shown);
    a->begin = a->at = a->last = place ? place->offset : 0;
    a->end = place ? a->begin + place->bytes : bytes;
    T2_TRY(t2_open_input(path, false, &a->fd, NULL, err));
    return check_kind(a, err);
}

enum t2_status dg_archive_places(const char *path, const struct dg_place *place, const char *shown,
                                 dg_see_member see, void *context, struct t2_err *err)
{
    struct in_place *a = t2_alloc(1, sizeof *a);
    /* names in PAX headers are UTF-8 whatever the user's locale */
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t) 0), before = (locale_t) 0;
    enum t2_status st;

    a->shown = shown;
    a->fd = -1;
    if (utf8)
        before = uselocale(utf8);
    st = open_part(a, path, place, err);
    if (st == T2_OK)
        st = walk(a, see, context, err);
    if (a->reader)
        archive_read_free(a->reader);
    if (a->fd >= 0)
        (void) close(a->fd);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    t2_free(a);
    return st;
}

enum t2_status dg_place_read(const char *path, const struct dg_place *place, struct t2_buf *buf,
                             struct t2_err *err)
{
    size_t n = 0;
    enum t2_status st;
    int fd;

    T2_TRY(t2_open_input(path, false, &fd, NULL, err));
    t2_buf_clear(buf);
    st = read_at(fd, path, place->offset, t2_buf_reserve(buf, (size_t) place->bytes),
                 (size_t) place->bytes, &n, err);
    (void) close(fd);
    if (st == T2_OK && n < place->bytes)
        st = t2_fail(err, T2_EFORMAT, "'%s' was cut short while it was read", path);
    if (st == T2_OK) {
        buf->len_bytes = n;
        t2_buf_reserve(buf, 0)[0] = 0;
    }
    return st;
}
