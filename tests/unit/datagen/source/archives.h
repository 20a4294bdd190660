/*
 * tests/unit/datagen/source/archives.h - small archives for tests, written by libarchive.
 */
#ifndef T2_TESTS_ARCHIVES_H
#define T2_TESTS_ARCHIVES_H

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

#include "base/buf.h"
#include "tests/support/t.h"

struct t_member {
    const char *name, *content;
    const char *symlink, *hardlink;
};

static inline void t_put_member(struct archive *w, const struct t_member *m)
{
    struct archive_entry *e = archive_entry_new();
    size_t n = m->content ? strlen(m->content) : 0;

    archive_entry_set_pathname(e, m->name);
    archive_entry_set_filetype(e, m->symlink ? AE_IFLNK : AE_IFREG);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_size(e, (la_int64_t) n);
    if (m->symlink)
        archive_entry_set_symlink(e, m->symlink);
    if (m->hardlink)
        archive_entry_set_hardlink(e, m->hardlink);
    assert_int_equal(archive_write_header(w, e), ARCHIVE_OK);
    if (n > 0)
        assert_int_equal(archive_write_data(w, m->content, n), (la_ssize_t) n);
    archive_entry_free(e);
}

/* format: "ustar" or "zip"; filter: "none", "gzip", "bzip2", "xz"; options may be NULL. */
static inline void t_write_archive(const char *path, const char *format, const char *filter,
                                   const char *options, const struct t_member *members, size_t n)
{
    struct archive *w = archive_write_new();

    assert_int_equal(archive_write_set_format_by_name(w, format), ARCHIVE_OK);
    if (strcmp(filter, "none") != 0)
        assert_int_equal(archive_write_add_filter_by_name(w, filter), ARCHIVE_OK);
    if (options)
        assert_int_equal(archive_write_set_options(w, options), ARCHIVE_OK);
    archive_write_set_passphrase(w, "secret");
    assert_int_equal(archive_write_open_filename(w, path), ARCHIVE_OK);
    for (size_t i = 0; i < n; i++)
        t_put_member(w, &members[i]);
    assert_int_equal(archive_write_free(w), ARCHIVE_OK);
}

/* A plain tar archive of n files of any bytes, at most 64 KiB each; its bytes in *tar
 * (replaced). */
static inline void t_tar_of(const char *const *names, const struct t2_buf *contents, size_t n,
                            struct t2_buf *tar)
{
    static uint8_t room[4 << 20];
    struct archive *w = archive_write_new();
    size_t used = 0;

    assert_int_equal(archive_write_set_format_ustar(w), ARCHIVE_OK);
    assert_int_equal(archive_write_open_memory(w, room, sizeof room, &used), ARCHIVE_OK);
    for (size_t i = 0; i < n; i++) {
        struct archive_entry *e = archive_entry_new();
        archive_entry_set_pathname(e, names[i]);
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_perm(e, 0644);
        archive_entry_set_size(e, (la_int64_t) contents[i].len_bytes);
        assert_int_equal(archive_write_header(w, e), ARCHIVE_OK);
        if (contents[i].len_bytes)
            assert_int_equal(archive_write_data(w, contents[i].data, contents[i].len_bytes),
                             (la_ssize_t) contents[i].len_bytes);
        archive_entry_free(e);
    }
    assert_int_equal(archive_write_free(w), ARCHIVE_OK);
    t2_buf_clear(tar);
    t2_buf_append(tar, room, used);
}

#endif
