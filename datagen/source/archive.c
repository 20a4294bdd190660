/*
 * datagen/source/archive.c - reading archives, by libarchive.
 *
 *   file -> t2_in: gzip, zlib, plain -----------+-> layer_read -> head -> kind of the contents
 *        -> libarchive, raw: bzip2, xz ---------+       |-> libarchive's tar reader -> members
 *                                                       '-> the one member of a compressed file
 *   file -> libarchive: zip, 7z -------------------------> members
 *
 * layer_read counts all unpacked bytes against the limits.  The kind of the contents is found from
 * the first bytes (`head`), which are then given again.  gzip is ours (base/text.h): libarchive
 * does not compare gzip's checksums.
 * Zip and 7z need to seek, so libarchive opens them itself; its zip reader that does not seek is
 * left out, since it would not miss a directory that was cut off.
 */
#include "datagen/source/archive.h"

#include <errno.h>

#include <archive.h>
#include <archive_entry.h>
#include <inttypes.h>
#include <locale.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/file.h"
#include "base/io.h"
#include "base/map.h"
#include "base/signals.h"
#include "base/zip.h"
#include "datagen/source/archive_kind.h"
#include "datagen/source/archive_library.h"

enum { CHUNK_BYTES = 1 << 16 };
static const uint64_t FREE_OF_RATIO = (uint64_t) 64 << 20;
/* A hard link has no bytes of its own: a second reader of the archive goes to its file.  Links that
 * do not come in the order of their files mean reading the archive once more for each, which this
 * many bytes bound. */
static const uint64_t FREE_FOR_LINKS = (uint64_t) 1 << 30;
enum { LINK_BYTES_PER_BYTE = 64 };

enum container { SINGLE, TAR, ZIP, SEVEN_ZIP };

struct dg_archive {
    char *path;
    uint64_t file_bytes;
    struct dg_unpack_limits limits;
    locale_t utf8; /* names in PAX headers are UTF-8 whatever the user's locale; 0: there is none */

    struct t2_in *in;      /* the file: plain, gzip, zlib */
    struct archive *layer; /* its bytes when they are bzip2 or xz */
    uint64_t layer_bytes;
    uint8_t head[DG_KIND_BYTES]; /* the first unpacked bytes; given again from head_at */
    size_t head_at, head_end;

    enum container container;
    struct archive *reader; /* of all but SINGLE */
    uint8_t *chunk;         /* CHUNK_BYTES for libarchive */
    struct t2_err failure;  /* in a callback */

    char *name; /* of the current member */
    uint64_t member_bytes, n_members;
    uint64_t given_bytes;     /* of all members */
    struct dg_archive *other; /* where the contents of a hard link come from */
    struct t2_map *files;     /* names of plain files -> number of the last such member; NULL: no
                               * hard link was met */
    struct t2_budget again;   /* bytes read once more for hard links */
    struct t2_budget *spent; /* that of the archive this one is `other` of, where hard links are not
                              * followed; NULL: of none */
    bool is_link;            /* the current member */
    bool at_end;
};

static struct dg_unpack_limits set_limits;

void dg_set_unpack_limits(const struct dg_unpack_limits *limits)
{
    set_limits = *limits;
}

/* ---- limits ---- */

/*
 * Two limits: a total, if one is set, and the ratio of unpacked to packed bytes, which counts from
 * 64 MiB on, as small archives of zeros are legitimate.
 */
static enum t2_status check_limits(const struct dg_archive *a, uint64_t unpacked,
                                   struct t2_err *err)
{
    if (a->limits.max_bytes && unpacked > a->limits.max_bytes)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': more than %" PRIu64 " bytes unpacked, the limit that was set",
                       a->path, a->limits.max_bytes);
    if (unpacked > FREE_OF_RATIO && unpacked / a->limits.max_ratio > a->file_bytes)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': more than %" PRIu64 " bytes unpacked for each of its %" PRIu64
                       " bytes, which no text has: it was made to fill disks",
                       a->path, a->limits.max_ratio, a->file_bytes);
    return T2_OK;
}

static enum t2_status check_again(const struct dg_archive *a, uint64_t n_bytes, struct t2_err *err)
{
    enum t2_status st = t2_budget_spend(a->spent, n_bytes, err);

    if (st == T2_EFORMAT)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': more than %" PRIu64 " bytes would be read again for its hard links: "
                       "pack it again with tar --hard-dereference",
                       a->path, a->spent->limit);
    return st;
}

/* ---- the unpacked bytes of the file ---- */

static enum t2_status fail_of(const struct dg_archive *a, struct archive *from, struct t2_err *err)
{
    const char *text = archive_error_string(from);

    if (a->failure.status != T2_OK) {
        *err = a->failure;
        return err->status;
    }
    if (archive_errno(from) == ENOMEM)
        t2_out_of_memory("'%s': %s", a->path, text ? text : "libarchive has none");
    if (a->name)
        return t2_fail(err, T2_EFORMAT, "'%s': at or after '%s': %s", a->path, a->name,
                       text ? text : "damaged");
    return t2_fail(err, T2_EFORMAT, "'%s': %s", a->path, text ? text : "damaged");
}

static enum t2_status layer_read(struct dg_archive *a, void *data, size_t len_bytes, size_t *n_read,
                                 struct t2_err *err)
{
    size_t n = a->head_end - a->head_at;

    if (n > 0) {
        n = n < len_bytes ? n : len_bytes;
        memcpy(data, a->head + a->head_at, n);
        a->head_at += n;
        *n_read = n;
        return T2_OK;
    }
    if (a->layer) {
        la_ssize_t got = archive_read_data(a->layer, data, len_bytes);
        if (got < 0)
            return fail_of(a, a->layer, err);
        n = (size_t) got;
    } else {
        T2_TRY(t2_in_read(a->in, data, len_bytes, &n, err));
    }
    *n_read = n;
    a->layer_bytes += n;
    T2_TRY(a->spent ? check_again(a, n, err) : t2_check_interrupt(err));
    return check_limits(a, a->layer_bytes, err);
}

/*
 * Reads the first DG_KIND_BYTES through layer_read, which then gives them again. head_end is 0
 * meanwhile, so that layer_read does not take from the head.
 */
static enum t2_status fill_head(struct dg_archive *a, struct t2_err *err)
{
    size_t n = 1, end = 0;

    a->head_at = a->head_end = 0;
    while (n > 0 && end < DG_KIND_BYTES) {
        T2_TRY(layer_read(a, a->head + end, DG_KIND_BYTES - end, &n, err));
        end += n;
    }
    a->head_end = end;
    return T2_OK;
}

static la_ssize_t give_chunk(struct archive *reader, void *context, const void **data)
{
    struct dg_archive *a = context;
    size_t n = 0;

    (void) reader;
    *data = a->chunk;
    if (layer_read(a, a->chunk, CHUNK_BYTES, &n, &a->failure) != T2_OK)
        return -1;
    return (la_ssize_t) n;
}

/* ---- the kind of the contents ---- */

static enum dg_bytes_kind head_kind(const struct dg_archive *a)
{
    return dg_bytes_kind(a->head, a->head_end);
}

static bool is_packed(const struct dg_archive *a)
{
    return a->layer || t2_in_is_compressed(a->in);
}

static bool has_tar_name(const struct dg_archive *a)
{
    char *name = dg_name_inside(a->path);
    bool is = t2_ends_with(name, ".tar");

    t2_free(name);
    return is;
}

/* Zeros alone are an archive without members, or one compressed file of zeros. */
static bool is_tar(const struct dg_archive *a)
{
    return head_kind(a) == DG_BYTES_TAR ||
           (head_kind(a) == DG_BYTES_ZEROS && (!is_packed(a) || has_tar_name(a)));
}

static enum t2_status not_an_archive(const struct dg_archive *a, struct t2_err *err)
{
    if (a->file_bytes == 0)
        return t2_fail(err, T2_EFORMAT, "'%s' is empty, not an archive", a->path);
    if (head_kind(a) == DG_BYTES_WEB_PAGE)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' is a web page that was saved in place of the archive: remove it and "
                       "download the archive again",
                       a->path);
    if (head_kind(a) == DG_BYTES_LFS_POINTER)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' is a pointer of Git LFS, not the archive: fetch the file itself",
                       a->path);
    return t2_fail(err, T2_EFORMAT, "'%s' is no archive of tar or zip%s", a->path,
                   is_packed(a) ? ": what was compressed is something else, or was cut"
                                : ", nor a compressed file");
}

/* ---- opening ---- */

static struct archive *new_reader(const struct dg_archive *a)
{
    struct archive *r = archive_read_new();

    if (!r)
        t2_out_of_memory("libarchive cannot read '%s'", a->path);
    return r;
}

/* Enables a format or filter of a reader; a warning means that libarchive calls another program for
 * it. */
static void know(const struct dg_archive *a, int rc)
{
    if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN)
        t2_out_of_memory("libarchive cannot read '%s'", a->path);
}

static enum t2_status opened(struct dg_archive *a, struct archive *r, int rc, struct t2_err *err)
{
    return rc == ARCHIVE_OK ? T2_OK : fail_of(a, r, err);
}

/* Puts bzip2's or xz's decompression between the file and layer_read. */
static enum t2_status open_layer(struct dg_archive *a, struct t2_err *err)
{
    struct archive *r = new_reader(a);
    struct archive_entry *entry;
    int rc;

    know(a, archive_read_support_filter_bzip2(r));
    know(a, archive_read_support_filter_xz(r));
    know(a, archive_read_support_format_raw(r));
    know(a, archive_read_support_format_empty(r));
    a->layer = r;
    T2_TRY(opened(a, r, archive_read_open_filename(r, a->path, CHUNK_BYTES), err));
    /* raw gives one entry, an empty file none */
    rc = archive_read_next_header(r, &entry);
    if (rc != ARCHIVE_OK && rc != ARCHIVE_EOF)
        return fail_of(a, r, err);
    a->layer_bytes = 0;
    return fill_head(a, err);
}

static enum t2_status open_tar(struct dg_archive *a, struct t2_err *err)
{
    a->container = TAR;
    a->reader = new_reader(a);
    know(a, archive_read_support_format_tar(a->reader));
    a->chunk = t2_alloc(CHUNK_BYTES, 1);
    return opened(a, a->reader, archive_read_open(a->reader, a, NULL, give_chunk, NULL), err);
}

/* In archives marked as made by DOS libarchive turns backslashes in names into separators.  Such
 * names are refused, as in tar, so the raw names are checked here. */
static enum t2_status check_raw_names(const struct dg_archive *a, struct t2_err *err)
{
    struct t2_err none = T2_ERR_INIT;
    struct t2_zip *z = NULL;
    enum t2_status st = T2_OK;

    if (t2_zip_open(a->path, &z, &none) != T2_OK)
        return T2_OK; /* libarchive reads more kinds, or reports the fault */
    for (size_t i = 0; i < t2_zip_count(z) && st == T2_OK; i++) {
        const char *name = t2_zip_name(z, i), *why = dg_member_name(&name);
        if (why && *name)
            st = dg_refuse_member(a->path, name, why, err);
    }
    t2_zip_free(z);
    return st;
}

static enum t2_status open_zip(struct dg_archive *a, struct t2_err *err)
{
    a->container = ZIP;
    a->reader = new_reader(a);
    know(a, archive_read_support_format_zip_seekable(a->reader));
    return opened(a, a->reader, archive_read_open_filename(a->reader, a->path, CHUNK_BYTES), err);
}

static enum t2_status open_seven_zip(struct dg_archive *a, struct t2_err *err)
{
    a->container = SEVEN_ZIP;
    a->reader = new_reader(a);
    know(a, archive_read_support_format_7zip(a->reader));
    return opened(a, a->reader, archive_read_open_filename(a->reader, a->path, CHUNK_BYTES), err);
}

static enum t2_status open_single(struct dg_archive *a, struct t2_err *err)
{
    enum dg_bytes_kind kind = head_kind(a);

    if (!is_packed(a))
        return not_an_archive(a, err);
    if (kind == DG_BYTES_GZIP || kind == DG_BYTES_BZIP2 || kind == DG_BYTES_XZ)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' was compressed twice (as a proxy does): unpack it once, then again",
                       a->path);
    if (has_tar_name(a))
        return not_an_archive(a, err);
    a->container = SINGLE;
    return T2_OK;
}

/* The end record of a zip archive is in the last 64 KiB; libarchive looks for it. */
static bool zip_opens(struct dg_archive *a)
{
    struct t2_err none = T2_ERR_INIT;
    struct archive_entry *entry;
    struct archive *r;
    bool is_zip;

    if (is_packed(a))
        return false;
    if (head_kind(a) == DG_BYTES_ZIP)
        return true;
    if (open_zip(a, &none) != T2_OK)
        return false;
    r = a->reader;
    is_zip = archive_read_next_header(r, &entry) == ARCHIVE_OK;
    archive_read_free(r);
    a->reader = NULL;
    return is_zip;
}

/* Asked before opening: libarchive would wait for the writer of a pipe, deaf to Ctrl-C.  What is
 * absent or a folder is reported when it is opened. */
static enum t2_status check_regular(const char *path, struct t2_err *err)
{
    struct stat info;

    if (t2_stat(path, &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))
        return T2_OK;
    return t2_fail(
        err, T2_EIO,
        "'%s' is not a regular file: archives are read more than once, so write it to one", path);
}

static enum t2_status open_contents(struct dg_archive *a, struct t2_err *err)
{
    T2_TRY(check_regular(a->path, err));
    T2_TRY(dg_archive_library_open(err));
    T2_TRY(t2_file_size(a->path, &a->file_bytes, err));
    t2_budget_init(&a->again, "hard links", "bytes", FREE_FOR_LINKS, LINK_BYTES_PER_BYTE,
                   a->file_bytes);
    T2_TRY(t2_in_new(a->path, &a->in, err));
    t2_in_ignore_trailing(a->in);
    t2_in_fast(a->in);
    T2_TRY(fill_head(a, err));
    if (!is_packed(a) && (head_kind(a) == DG_BYTES_BZIP2 || head_kind(a) == DG_BYTES_XZ))
        T2_TRY(open_layer(a, err));
    if (is_tar(a))
        return open_tar(a, err);
    if (!is_packed(a) && head_kind(a) == DG_BYTES_7Z)
        return open_seven_zip(a, err);
    if (!zip_opens(a))
        return open_single(a, err);
    T2_TRY(check_raw_names(a, err));
    return open_zip(a, err);
}

enum t2_status dg_archive_open(const char *path, const struct dg_unpack_limits *limits,
                               struct dg_archive **archive, struct t2_err *err)
{
    struct dg_archive *a = t2_alloc(1, sizeof *a);
    locale_t before = (locale_t) 0;
    enum t2_status st;

    a->path = t2_strdup(path);
    a->limits = limits ? *limits : set_limits;
    if (a->limits.max_ratio == 0)
        a->limits.max_ratio = DG_MAX_UNPACK_RATIO;
    a->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t) 0);
    if (a->utf8)
        before = uselocale(a->utf8);
    st = open_contents(a, err);
    if (a->utf8)
        uselocale(before);
    if (st == T2_OK)
        *archive = a;
    else
        dg_archive_free(a);
    return st;
}

void dg_archive_free(struct dg_archive *a)
{
    if (!a)
        return;
    dg_archive_free(a->other);
    t2_map_free(a->files);
    if (a->reader)
        archive_read_free(a->reader);
    if (a->layer)
        archive_read_free(a->layer);
    if (a->utf8)
        freelocale(a->utf8);
    t2_in_free(a->in);
    t2_free(a->chunk);
    t2_free(a->name);
    t2_free(a->path);
    t2_free(a);
}

/* ---- hard links ---- */

/*
 * Opens the archive once more, for the contents of hard links; its bytes are charged to a->again.
 */
static enum t2_status open_other(struct dg_archive *a, struct t2_err *err)
{
    dg_archive_free(a->other);
    a->other = NULL;
    T2_TRY(dg_archive_open(a->path, &a->limits, &a->other, err));
    a->other->spent = &a->again;
    return check_again(a->other, CHUNK_BYTES, err);
}

static void note_file(struct dg_archive *a, const char *name, uint64_t number)
{
    *t2_map_at(a->files, name, strlen(name), NULL) = number;
}

/* At the first hard link: collects the names of the files in front of it. */
static enum t2_status note_files(struct dg_archive *a, struct t2_err *err)
{
    struct dg_member m;

    a->files = t2_map_new();
    T2_TRY(open_other(a, err));
    while (a->other->n_members + 1 < a->n_members) {
        T2_TRY(dg_archive_next(a->other, &m, err));
        if (!a->other->is_link)
            note_file(a, m.name, a->other->n_members);
    }
    return T2_OK;
}

/*
 * Moves another reader of the archive to the file that the hard link means.  It goes on where it
 * was when it can: tar writes links in the order of their files, and all of them together are one
 * more pass.
 */
static enum t2_status follow_link(struct dg_archive *a, const char *target, struct t2_err *err)
{
    struct dg_member m = {NULL, 0};
    const char *why = dg_member_name(&target);
    uint64_t *number;

    if (why)
        return dg_refuse_member(a->path, target, why, err);
    if (!a->files)
        T2_TRY(note_files(a, err));
    number = t2_map_find(a->files, target, strlen(target));
    if (!number)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': member '%s' is a link to '%s', which is no file before it", a->path,
                       a->name, target);
    if (a->other->n_members >= *number)
        T2_TRY(open_other(a, err));
    while (a->other->n_members < *number)
        T2_TRY(dg_archive_next(a->other, &m, err));
    a->member_bytes = m.bytes;
    return T2_OK;
}

/* ---- members ---- */

static enum t2_status take_entry(struct dg_archive *a, struct archive_entry *e, bool *is_file,
                                 struct t2_err *err)
{
    const char *name = archive_entry_pathname(e);
    const char *link = archive_entry_hardlink(e);
    const char *why;
    mode_t kind = archive_entry_filetype(e);

    *is_file = false;
    if (!name)
        name = archive_entry_pathname_utf8(e);
    if (!name)
        return t2_fail(err, T2_EFORMAT, "'%s': the name of member %" PRIu64 " cannot be read",
                       a->path, a->n_members + 1);
    why = kind == AE_IFDIR && (strcmp(name, ".") == 0 || strcmp(name, "./") == 0)
              ? NULL
              : dg_member_name(&name);
    if (!why && archive_entry_symlink(e))
        why = "a symbolic link as its contents";
    else if (!why && !link && kind != AE_IFREG && kind != AE_IFDIR)
        why = "a device or pipe as its contents";
    if (!why && archive_entry_is_encrypted(e))
        return t2_fail(err, T2_EFORMAT, "'%s': member '%s' is encrypted", a->path, name);
    if (why)
        return dg_refuse_member(a->path, name, why, err);
    if (kind == AE_IFDIR && !link)
        return T2_OK;
    *is_file = true;
    a->n_members++;
    t2_free(a->name);
    a->name = t2_strdup(name);
    a->member_bytes = archive_entry_size_is_set(e) ? (uint64_t) archive_entry_size(e) : UINT64_MAX;
    a->is_link = link != NULL;
    if (a->files && !link)
        note_file(a, a->name, a->n_members);
    return link && !a->spent ? follow_link(a, link, err) : T2_OK;
}

/* Behind the last member of a compressed file: its checksums are compared when all of it was
 * read. */
static enum t2_status drain(struct dg_archive *a, struct t2_err *err)
{
    uint8_t rest[4096];
    size_t n = 1;

    while (n > 0)
        T2_TRY(layer_read(a, rest, sizeof rest, &n, err));
    return T2_OK;
}

/* A compressed file that is no archive: one member, named as the file without its suffix. */
static enum t2_status next_single(struct dg_archive *a, struct t2_err *err)
{
    if (a->n_members++ > 0) {
        a->at_end = true;
        return drain(a, err);
    }
    a->name = dg_name_inside(a->path);
    a->member_bytes = UINT64_MAX;
    return T2_OK;
}

/* libarchive would unpack what is skipped of a 7z archive, however much it is, before it
 * returned. */
static enum t2_status skip_rest(struct dg_archive *a, struct t2_err *err)
{
    uint8_t rest[4096];
    size_t n = 1;

    while (n > 0)
        T2_TRY(dg_archive_read(a, rest, sizeof rest, &n, err));
    return T2_OK;
}

static enum t2_status next_entry(struct dg_archive *a, struct t2_err *err)
{
    struct archive_entry *e;
    bool is_file = false;

    if (a->container == SEVEN_ZIP && a->n_members > 0)
        T2_TRY(skip_rest(a, err));
    while (!is_file) {
        int rc = archive_read_next_header(a->reader, &e);
        if (rc == ARCHIVE_EOF) {
            a->at_end = true;
            return is_packed(a) ? drain(a, err) : T2_OK;
        }
        if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN)
            return fail_of(a, a->reader, err);
        T2_TRY(take_entry(a, e, &is_file, err));
    }
    return T2_OK;
}

enum t2_status dg_archive_next(struct dg_archive *a, struct dg_member *m, struct t2_err *err)
{
    locale_t before = (locale_t) 0;
    enum t2_status st = T2_OK;

    T2_TRY(t2_check_interrupt(err));
    if (a->utf8)
        before = uselocale(a->utf8);
    if (!a->at_end)
        st = a->container == SINGLE ? next_single(a, err) : next_entry(a, err);
    if (a->utf8)
        uselocale(before);
    *m = (struct dg_member){a->name, a->member_bytes};
    return st == T2_OK && a->at_end ? T2_EOF : st;
}

/* A checksum that differs is a warning to libarchive, after the last bytes were given. */
static enum t2_status read_entry(struct dg_archive *a, void *data, size_t len_bytes, size_t *n_read,
                                 struct t2_err *err)
{
    la_ssize_t n = archive_read_data(a->reader, data, len_bytes);

    if (n < 0)
        return fail_of(a, a->reader, err);
    *n_read = (size_t) n;
    return T2_OK;
}

enum t2_status dg_archive_read(struct dg_archive *a, void *data, size_t len_bytes, size_t *n_read,
                               struct t2_err *err)
{
    T2_ASSERT(a->n_members > 0);
    *n_read = 0;
    if (len_bytes == 0 || a->at_end)
        return T2_OK;
    T2_TRY(t2_check_interrupt(err));
    if (a->is_link)
        T2_TRY(dg_archive_read(a->other, data, len_bytes, n_read, err));
    else if (a->container == SINGLE)
        return layer_read(a, data, len_bytes, n_read, err);
    else
        T2_TRY(read_entry(a, data, len_bytes, n_read, err));
    a->given_bytes += *n_read;
    return check_limits(a, a->given_bytes, err);
}

static enum t2_status read_for_text(void *context, void *data, size_t len_bytes, size_t *n_read,
                                    struct t2_err *err)
{
    return dg_archive_read(context, data, len_bytes, n_read, err);
}

void dg_archive_text(struct dg_archive *a, struct t2_in **in)
{
    char *name = t2_asprintf("%s: %s", a->path, a->name);

    t2_in_new_from(name, read_for_text, a, in);
    t2_free(name);
}
