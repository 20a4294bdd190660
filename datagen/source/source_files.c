/*
 * datagen/source/source_files.c - one file of a source, unpacked or in its archive.
 *
 *   tmp_dir/[folder/][into/]member    unpacked, as the original's own scripts leave it
 *   tmp_dir/[folder/]archive          the member is read out of it
 *   elsewhere                         a local copy or mirror (fetch/source_lookup.c)
 *
 * A source counts as unpacked when its sign, a file or folder that only its archive has, is there.
 */
#include "datagen/source/source_files.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "datagen/fetch/fetch_defaults.h"
#include "datagen/fetch/source_lookup.h"

char *dg_source_folder(const struct dg_source *source, const struct dg_options *options)
{
    return source->folder ? t2_path_join(options->tmp_dir, source->folder)
                          : t2_strdup(options->tmp_dir);
}

char *dg_source_unpacked(const struct dg_source *source, const char *member,
                         const struct dg_options *options)
{
    char *folder = dg_source_folder(source, options);
    char *into = source->into ? t2_path_join(folder, source->into) : t2_strdup(folder);
    char *path = t2_path_join(into, member);

    t2_free(into);
    t2_free(folder);
    return path;
}

static bool is_unpacked(const struct dg_source *source, const struct dg_options *options)
{
    char *path = source->sign ? dg_source_unpacked(source, source->sign, options) : NULL;
    bool there = path && t2_exists(path);

    t2_free(path);
    return there;
}

static bool in_same_folder(const struct dg_source *a, const struct dg_source *b)
{
    return strcmp(a->folder ? a->folder : "", b->folder ? b->folder : "") == 0;
}

/* Those of the folder of sources[first], together. */
static enum t2_status fetch_folder(const struct dg_source *const *sources, size_t first, size_t n,
                                   const struct dg_options *options, struct t2_err *err)
{
    const struct dg_source_file **files = t2_alloc(n, sizeof *files);
    struct dg_fetch_result *results = t2_alloc(n, sizeof *results);
    char *folder = dg_source_folder(sources[first], options);
    enum t2_status st;
    size_t k = 0;

    for (size_t i = first; i < n; i++)
        if (in_same_folder(sources[i], sources[first]) && !is_unpacked(sources[i], options))
            files[k++] = sources[i]->file;
    st = dg_fetch(files, k, folder, options->fetch, results, err);
    dg_fetch_release(results, k);
    t2_free(folder);
    t2_free(results);
    t2_free(files);
    return st;
}

enum t2_status dg_sources_fetch(const struct dg_source *const *sources, size_t n,
                                const struct dg_options *options, struct t2_err *err)
{
    size_t k;

    for (size_t i = 0; i < n; i++) {
        for (k = 0; k < i && !in_same_folder(sources[k], sources[i]); k++)
            continue;
        if (k == i)
            T2_TRY(fetch_folder(sources, i, n, options, err));
    }
    return T2_OK;
}

enum t2_status dg_source_path(const struct dg_source *source, const struct dg_options *options,
                              char **path, struct t2_err *err)
{
    struct dg_fetch_options fetch = dg_fetch_defaults(options->fetch);
    struct dg_fetch_result result = {0};
    char *name = NULL, *folder;

    T2_TRY(dg_source_name(source->file, &name, err));
    folder = dg_source_folder(source, options);
    dg_find_source(source->file, name, folder, &fetch, &result);
    if (!result.path)
        (void) t2_fail(err, T2_ENOTFOUND, "'%s' is not in '%s'", name, folder);
    *path = result.path;
    t2_free(folder);
    t2_free(name);
    return result.path ? T2_OK : err->status;
}

bool dg_source_is_there(const struct dg_source *source, const struct dg_options *options)
{
    struct t2_err ignored = T2_ERR_INIT;
    char *path = NULL;
    bool there =
        is_unpacked(source, options) || dg_source_path(source, options, &path, &ignored) == T2_OK;

    t2_free(path);
    return there;
}

void dg_source_add_sizes(const struct dg_source *source, const char *member,
                         const struct dg_options *options, unsigned copies,
                         struct dg_input_sizes *sizes)
{
    char *unpacked = member ? dg_source_unpacked(source, member, options) : NULL;
    char *folder = dg_source_folder(source, options), *path = NULL;
    struct t2_err ignored = T2_ERR_INIT;

    if (unpacked && t2_is_dir(unpacked)) {
        dg_sizes_add_folder(sizes, unpacked);
    } else if (unpacked && t2_exists(unpacked)) {
        dg_sizes_add_file(sizes, unpacked, 0);
    } else {
        if (dg_source_path(source, options, &path, &ignored) != T2_OK)
            path = NULL;
        dg_sizes_add_source(sizes, source->file, path, folder, copies);
    }
    t2_free(path);
    t2_free(folder);
    t2_free(unpacked);
}

/* ---- one file ---- */

static enum t2_status open_file(struct dg_source_text *t, struct t2_err *err)
{
    T2_TRY(t2_file_size(t->path, &t->bytes, err));
    return t2_in_new(t->path, &t->in, err);
}

static enum t2_status open_member(const char *archive, const char *member, struct dg_source_text *t,
                                  struct t2_err *err)
{
    struct dg_member m;
    enum t2_status st;

    T2_TRY(dg_archive_open(archive, NULL, &t->archive, err));
    while ((st = dg_archive_next(t->archive, &m, err)) == T2_OK) {
        if (strcmp(m.name, member) != 0)
            continue;
        t->path = t2_asprintf("%s: %s", archive, member);
        t->bytes = m.bytes;
        dg_archive_text(t->archive, &t->in);
        return T2_OK;
    }
    if (st == T2_EOF)
        st = t2_fail(err, T2_ENOTFOUND, "'%s' has no member '%s'", archive, member);
    return st;
}

enum t2_status dg_source_open(const struct dg_source *source, const char *member,
                              const struct dg_options *options, bool hash_on,
                              struct dg_source_text *t, struct t2_err *err)
{
    char *archive = NULL;
    enum t2_status st = T2_OK;

    *t = (struct dg_source_text){.hash_on = hash_on};
    if (source->is_plain)
        st = dg_source_path(source, options, &t->path, err);
    else
        t->path = dg_source_unpacked(source, member, options);
    if (st == T2_OK && (source->is_plain || t2_exists(t->path))) {
        st = open_file(t, err);
    } else if (st == T2_OK) {
        st = dg_source_path(source, options, &archive, err);
        if (st != T2_OK)
            (void) t2_wrap(err, "'%s' is missing, and its archive too", t->path);
        t2_free(t->path);
        t->path = NULL;
        if (st == T2_OK)
            st = open_member(archive, member, t, err);
    }
    t2_free(archive);
    if (st == T2_OK)
        t2_in_limit_line(t->in, options->max_memory);
    if (st == T2_OK && hash_on)
        t2_in_hash_on(t->in);
    if (st != T2_OK)
        dg_source_close(t);
    return st;
}

/* What follows the member is only looked at for its checksums. */
static enum t2_status drain(struct dg_source_text *t, struct t2_err *err)
{
    struct dg_member m;
    enum t2_status st = T2_OK;

    while (t->archive && t->hash_on && (st = dg_archive_next(t->archive, &m, err)) == T2_OK)
        continue;
    return st == T2_EOF ? T2_OK : st;
}

enum t2_status dg_source_line(struct dg_source_text *t, struct t2_slice *line, struct t2_err *err)
{
    enum t2_status st = t2_in_line(t->in, line, err);

    if (st == T2_OK)
        t->lines++;
    if (st == T2_EOF)
        T2_TRY(drain(t, err));
    return st;
}

enum t2_status dg_source_rest(struct dg_source_text *t, uint64_t max_bytes, struct t2_buf *text,
                              struct t2_err *err)
{
    enum { CHUNK_BYTES = 1 << 16 };
    uint64_t total = 0;
    size_t n = 1;

    while (n > 0) {
        uint8_t *to = t2_buf_reserve(text, CHUNK_BYTES);
        T2_TRY(t2_in_read(t->in, to, CHUNK_BYTES, &n, err));
        text->len_bytes += n;
        total += n;
        if (total > max_bytes)
            return t2_fail(err, T2_EFORMAT, "'%s' has more than %" PRIu64 " bytes", t->path,
                           max_bytes);
    }
    t2_buf_push(text, 0);
    text->len_bytes--;
    return drain(t, err);
}

void dg_source_note(struct dg_source_text *t, const char *role, struct dg_input_files *files)
{
    char sha256[65];
    uint64_t bytes;

    T2_ASSERT(t->hash_on);
    t2_in_sha256(t->in, sha256, &bytes);
    dg_input_files_add(files, t->path, role, bytes, t->lines, sha256);
}

void dg_source_close(struct dg_source_text *t)
{
    t2_in_free(t->in);
    dg_archive_free(t->archive);
    t2_free(t->path);
    *t = (struct dg_source_text){0};
}
