/*
 * datagen/source/archive_library.h - libarchive's functions, found at run time.
 *
 * For files that include <archive.h>, and this after it: the functions then go by their own names.
 * A program that reads no archive does not load libarchive and the XML, XZ, LZ4 and ACL libraries
 * behind it.
 */
#ifndef DG_ARCHIVE_LIBRARY_H
#define DG_ARCHIVE_LIBRARY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct archive;
struct archive_entry;

/* Their types are compared with those of <archive.h> in archive_library.c. */
struct dg_archive_library {
    const char *(*entry_hardlink)(struct archive_entry *);
    const char *(*entry_pathname)(struct archive_entry *);
    const char *(*entry_pathname_utf8)(struct archive_entry *);
    const char *(*entry_symlink)(struct archive_entry *);
    int (*entry_is_encrypted)(struct archive_entry *);
    int (*entry_size_is_set)(struct archive_entry *);
    int (*entry_sparse_count)(struct archive_entry *);
    int64_t (*entry_size)(struct archive_entry *);
    mode_t (*entry_filetype)(struct archive_entry *);
    const char *(*error_string)(struct archive *);
    int (*error_number)(struct archive *); /* archive_errno; errno is a macro */
    int64_t (*filter_bytes)(struct archive *, int);
    struct archive *(*read_new)(void);
    int (*read_free)(struct archive *);
    int (*read_next_header)(struct archive *, struct archive_entry **);
    ssize_t (*read_data)(struct archive *, void *, size_t);
    int (*read_open)(struct archive *, void *context, int (*open)(struct archive *, void *),
                     ssize_t (*read)(struct archive *, void *, const void **),
                     int (*close)(struct archive *, void *));
    int (*read_open2)(struct archive *, void *context, int (*open)(struct archive *, void *),
                      ssize_t (*read)(struct archive *, void *, const void **),
                      int64_t (*skip)(struct archive *, void *, int64_t),
                      int (*close)(struct archive *, void *));
    int (*read_open_filename)(struct archive *, const char *path, size_t block_bytes);
    int (*read_support_filter_bzip2)(struct archive *);
    int (*read_support_filter_xz)(struct archive *);
    int (*read_support_format_7zip)(struct archive *);
    int (*read_support_format_empty)(struct archive *);
    int (*read_support_format_raw)(struct archive *);
    int (*read_support_format_tar)(struct archive *);
    int (*read_support_format_zip_seekable)(struct archive *);
};

extern struct dg_archive_library dg_libarchive;

/* Before the first use of a function; T2_EUNSUPPORTED names the package that is missing. */
T2_MUST_CHECK enum t2_status dg_archive_library_open(struct t2_err *err);

#define archive_entry_filetype dg_libarchive.entry_filetype
#define archive_entry_hardlink dg_libarchive.entry_hardlink
#define archive_entry_is_encrypted dg_libarchive.entry_is_encrypted
#define archive_entry_pathname dg_libarchive.entry_pathname
#define archive_entry_pathname_utf8 dg_libarchive.entry_pathname_utf8
#define archive_entry_size dg_libarchive.entry_size
#define archive_entry_size_is_set dg_libarchive.entry_size_is_set
#define archive_entry_sparse_count dg_libarchive.entry_sparse_count
#define archive_entry_symlink dg_libarchive.entry_symlink
#define archive_errno dg_libarchive.error_number
#define archive_error_string dg_libarchive.error_string
#define archive_filter_bytes dg_libarchive.filter_bytes
#define archive_read_data dg_libarchive.read_data
#define archive_read_free dg_libarchive.read_free
#define archive_read_new dg_libarchive.read_new
#define archive_read_next_header dg_libarchive.read_next_header
#define archive_read_open dg_libarchive.read_open
#define archive_read_open2 dg_libarchive.read_open2
#define archive_read_open_filename dg_libarchive.read_open_filename
#define archive_read_support_filter_bzip2 dg_libarchive.read_support_filter_bzip2
#define archive_read_support_filter_xz dg_libarchive.read_support_filter_xz
#define archive_read_support_format_7zip dg_libarchive.read_support_format_7zip
#define archive_read_support_format_empty dg_libarchive.read_support_format_empty
#define archive_read_support_format_raw dg_libarchive.read_support_format_raw
#define archive_read_support_format_tar dg_libarchive.read_support_format_tar
#define archive_read_support_format_zip_seekable dg_libarchive.read_support_format_zip_seekable

#endif
