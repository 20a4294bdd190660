/*
 * datagen/source/archive_library.c - opens libarchive and finds its functions.
 */
#include <archive.h>
#include <archive_entry.h>
#include <pthread.h>

#include "base/library.h"

#define FUNCTIONS(X)                                                                               \
    X(entry_filetype)                                                                              \
    X(entry_hardlink)                                                                              \
    X(entry_is_encrypted)                                                                          \
    X(entry_pathname)                                                                              \
    X(entry_pathname_utf8)                                                                         \
    X(entry_size)                                                                                  \
    X(entry_size_is_set)                                                                           \
    X(entry_sparse_count)                                                                          \
    X(entry_symlink)                                                                               \
    X(error_string)                                                                                \
    X(filter_bytes)                                                                                \
    X(read_data)                                                                                   \
    X(read_free)                                                                                   \
    X(read_new)                                                                                    \
    X(read_next_header)                                                                            \
    X(read_open)                                                                                   \
    X(read_open2)                                                                                  \
    X(read_open_filename)                                                                          \
    X(read_support_filter_bzip2)                                                                   \
    X(read_support_filter_xz)                                                                      \
    X(read_support_format_7zip)                                                                    \
    X(read_support_format_empty)                                                                   \
    X(read_support_format_raw)                                                                     \
    X(read_support_format_tar)                                                                     \
    X(read_support_format_zip_seekable)

/* As <archive.h> has them; before archive_library.h gives the names another meaning. */
#define DECLARE(name) typedef __typeof__(&archive_##name) type_of_##name;
FUNCTIONS(DECLARE)
typedef __typeof__(&archive_errno) type_of_error_number;

#include "datagen/source/archive_library.h"

struct dg_archive_library dg_libarchive;
static char missing[256]; /* why it could not be opened; empty: it is here */

static void load(void)
{
#define SYMBOL(name) {"archive_" #name, &dg_libarchive.name},
    const struct t2_symbol symbols[] = {
        FUNCTIONS(SYMBOL){"archive_errno", &dg_libarchive.error_number}};

#define SAME_TYPE(name)                                                                            \
    _Static_assert(_Generic(dg_libarchive.name, type_of_##name : 1, default : 0),                  \
                   "not libarchive's type: " #name);
    FUNCTIONS(SAME_TYPE)
    SAME_TYPE(error_number)
    (void) t2_library_open(&t2_libarchive, symbols, sizeof symbols / sizeof *symbols, missing,
                           sizeof missing);
}

enum t2_status dg_archive_library_open(struct t2_err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return missing[0] == '\0'
               ? T2_OK
               : t2_fail(err, T2_EUNSUPPORTED, "archives cannot be read: %s", missing);
}
