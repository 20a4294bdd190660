/*
 * datagen/fetch/source_lookup.c - where a file may be, and whether what is there is it.
 */
#include "datagen/fetch/source_lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"
#include "base/log.h"
#include "base/remote/http_headers.h"
#include "datagen/fetch/verified_files.h"

enum t2_status dg_source_name(const struct dg_source_file *f, char **name, struct t2_err *err)
{
    const char *url = f->urls ? f->urls[0] : NULL, *found = f->name;

    *name = NULL;
    if (!found && url)
        found = t2_url_name(url);
    if (!found || !t2_is_file_name(found))
        return t2_fail(err, T2_EUSAGE, "'%s' does not end in a file name",
                       f->name ? f->name : (url ? url : ""));
    *name = t2_strdup(found);
    return T2_OK;
}

enum dg_file_kind dg_source_kind(const struct dg_source_file *f, const char *name)
{
    return f->kind == DG_KIND_BY_NAME ? dg_kind_of_name(name) : f->kind;
}

static enum t2_status check_kind(enum dg_file_kind kind, const char *path, struct t2_err *err)
{
    enum { PAGE_BYTES = 4096 };
    uint8_t head[PAGE_BYTES];
    char title[80];
    size_t n;
    int fd, errnum;

    T2_TRY(t2_open_input(path, false, &fd, NULL, err));
    errnum = t2_io_pread(fd, head, sizeof head, 0, &n);
    (void) close(fd);
    if (errnum)
        return t2_fail_errno(err, errnum, "'%s': cannot read", path);
    if (dg_kind_fits(kind, head, n))
        return T2_OK;
    if (!dg_looks_like_html(head, n))
        return t2_fail(err, T2_EFORMAT, "'%s' does not begin like %s", path, dg_kind_text(kind));
    dg_html_title(head, n, title);
    return t2_fail(err, T2_EFORMAT, "'%s' is an HTML page%s%s%s, not %s", path, *title ? " (" : "",
                   title, *title ? ")" : "", dg_kind_text(kind));
}

enum t2_status dg_check_source(const struct dg_source_file *f, const char *name, const char *path,
                               bool keep_unverified, struct t2_err *err)
{
    uint64_t size;

    T2_TRY(t2_file_size(path, &size, err));
    if (size == 0)
        return t2_fail(err, T2_EFORMAT, "'%s' is empty", path);
    if (f->size_bytes && size != f->size_bytes && !keep_unverified)
        return t2_fail(err, T2_EFORMAT, "'%s' has %" PRIu64 " bytes, expected %" PRIu64, path, size,
                       f->size_bytes);
    T2_TRY(check_kind(dg_source_kind(f, name), path, err));
    if (!f->sha256 || keep_unverified)
        return T2_OK;
    return dg_verify_digest(path, f->sha256, err);
}

/* Takes ownership of path. */
static bool is_there(const struct dg_source_file *f, const char *name, char *path,
                     const struct dg_fetch_options *options, enum dg_fetch_how how,
                     struct dg_fetch_result *r)
{
    struct t2_err err = T2_ERR_INIT;

    if (f->is_folder && t2_is_dir(path)) {
        r->path = path;
        r->how = how;
        return true;
    }
    if (t2_exists(path)) {
        if (dg_check_source(f, name, path, options->keep_unverified, &err) == T2_OK &&
            t2_file_size(path, &r->size_bytes, &err) == T2_OK) {
            r->path = path;
            r->how = how;
            return true;
        }
        t2_warn("%s; it is not used", err.message);
    }
    t2_free(path);
    return false;
}

static bool is_local(const struct dg_source_file *f, const char *name, const char *url,
                     const struct dg_fetch_options *options, struct dg_fetch_result *r)
{
    char *path = t2_url_local_path(url);

    return path && is_there(f, name, path, options, DG_FETCH_LOCAL, r);
}

/* <mirror>/<name>, and <mirror>/<last part of the URL> where that differs. */
static void mirror_urls(const struct dg_source_file *f, const char *name, const char *mirror,
                        struct t2_strs *urls)
{
    const char *other = f->urls && f->urls[0] ? t2_url_name(f->urls[0]) : NULL;

    t2_strs_take(urls, t2_mirror_url(mirror, name));
    if (other && strcmp(other, name) != 0)
        t2_strs_take(urls, t2_mirror_url(mirror, other));
}

static void all_urls(const struct dg_source_file *f, const char *name,
                     const struct dg_fetch_options *options, struct t2_strs *urls)
{
    if (options->mirror)
        mirror_urls(f, name, options->mirror, urls);
    else
        for (size_t i = 0; f->urls && !f->gone && f->urls[i]; i++)
            t2_strs_push(urls, f->urls[i]);
}

void dg_remote_urls(const struct dg_source_file *f, const char *name,
                    const struct dg_fetch_options *options, struct t2_strs *urls)
{
    struct t2_strs all = {0};

    all_urls(f, name, options, &all);
    for (size_t i = 0; i < all.n; i++)
        if (t2_is_http_url(all.items[i]))
            t2_strs_push(urls, all.items[i]);
    t2_strs_release(&all);
}

void dg_find_source(const struct dg_source_file *f, const char *name, const char *tmp_dir,
                    const struct dg_fetch_options *options, struct dg_fetch_result *r)
{
    struct t2_strs urls = {0};
    bool found;

    *r = (struct dg_fetch_result){0};
    found = is_there(f, name, t2_path_join(tmp_dir, name), options, DG_FETCH_FOUND, r) ||
            (options->archive_dir && is_there(f, name, t2_path_join(options->archive_dir, name),
                                              options, DG_FETCH_ARCHIVE, r));
    all_urls(f, name, options, &urls);
    for (size_t i = 0; i < urls.n && !found; i++)
        found = is_local(f, name, urls.items[i], options, r);
    t2_strs_release(&urls);
}
