/*
 * datagen/problems/translate_sources.c - looking for, downloading and unpacking the files of
 * parallel sources.
 */
#include "datagen/problems/translate_sources.h"

#include <string.h>

#include "base/alloc.h"
#include "base/dir_lock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/match_files.h"
#include "datagen/source/archive.h"

/* ---- what is there ---- */

/* The path of a public source's file: in tmp_dir, then in archive_dir; NULL: in neither.  Owned by
 * the caller. */
static char *find_file(const struct dg_source_file *f, const struct dg_options *options)
{
    const char *dirs[] = {options->tmp_dir, options->fetch ? options->fetch->archive_dir : NULL};
    struct t2_err none = T2_ERR_INIT;
    char *name = NULL, *path = NULL;

    if (dg_source_name(f, &name, &none) != T2_OK)
        return NULL;
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs && !path; i++) {
        if (!dirs[i] || !dirs[i][0])
            continue;
        path = t2_path_join(dirs[i], name);
        if (!t2_exists(path)) {
            t2_free(path);
            path = NULL;
        }
    }
    t2_free(name);
    return path;
}

/* "x" for "x.gz" when that is there.  Takes ownership of path. */
static char *unpacked_if_there(char *path)
{
    char *unpacked;

    if (!t2_ends_with(path, ".gz"))
        return path;
    unpacked = t2_strndup(path, strlen(path) - 3);
    if (!t2_exists(unpacked)) {
        t2_free(unpacked);
        return path;
    }
    t2_free(path);
    return unpacked;
}

char *dg_member_path(const char *member, const struct dg_options *options)
{
    return unpacked_if_there(t2_path_join(options->tmp_dir, member));
}

static bool member_exists(const char *member, const struct dg_options *options)
{
    char *path = dg_member_path(member, options);
    bool exists = t2_exists(path);

    t2_free(path);
    return exists;
}

/* While members of a pattern appear one by one this file stands in tmp_dir. */
static char *unpacking_mark(const struct dg_source_file *f, const struct dg_options *options)
{
    struct t2_err none = T2_ERR_INIT;
    char *name = NULL, *path, *file;

    if (dg_source_name(f, &name, &none) != T2_OK)
        return NULL;
    file = t2_asprintf("%s.unpacking", name);
    path = t2_path_join(options->tmp_dir, file);
    t2_free(file);
    t2_free(name);
    return path;
}

enum t2_status dg_tsv_files(const struct dg_parallel_source *s, const struct dg_options *options,
                            struct t2_strs *paths, struct t2_err *err)
{
    char *pattern = t2_path_join(options->tmp_dir, s->lang1), *dir = t2_path_dir(pattern);
    struct t2_strs found = {0};
    struct t2_file_info at;
    enum t2_status st = t2_look_at(dir, &at, err);

    if (st == T2_OK && at.kind == T2_FILE_DIR)
        st = t2_match_files(pattern, &found, err);
    for (size_t i = 0; i < found.n && st == T2_OK; i++)
        t2_strs_take(paths, unpacked_if_there(t2_strdup(found.items[i])));
    t2_strs_release(&found);
    t2_free(dir);
    t2_free(pattern);
    return st;
}

static bool tsv_exists(const struct dg_parallel_source *s, const struct dg_options *options)
{
    struct t2_err none = T2_ERR_INIT;
    struct t2_strs paths = {0};
    char *mark = unpacking_mark(s->file, options);
    bool exists =
        dg_tsv_files(s, options, &paths, &none) == T2_OK && paths.n > 0 && mark && !t2_exists(mark);

    t2_free(mark);
    t2_strs_release(&paths);
    return exists;
}

char *dg_tmx_file(const struct dg_parallel_source *s, const struct dg_options *options)
{
    struct t2_err none = T2_ERR_INIT;
    char *name = NULL, *path;

    if (dg_source_name(s->file, &name, &none) != T2_OK)
        return NULL;
    path = dg_member_path(name, options);
    t2_free(name);
    if (t2_exists(path))
        return path;
    t2_free(path);
    return find_file(s->file, options);
}

static bool is_there(const struct dg_parallel_source *s, const struct dg_options *options)
{
    char *path;

    switch (s->kind) {
    case DG_PARALLEL_TSV:
        return tsv_exists(s, options);
    case DG_PARALLEL_TMX:
        path = dg_tmx_file(s, options);
        t2_free(path);
        return path != NULL;
    case DG_PARALLEL_PAIR:
    case DG_PARALLEL_SGM:
        break;
    }
    return member_exists(s->lang1, options) && member_exists(s->lang2, options);
}

void dg_parallel_add(struct dg_parallel_list *l, const struct dg_parallel_source *table,
                     const struct dg_options *options)
{
    char *path;

    for (; table->file; table++) {
        if (table->is_optional && !is_there(table, options)) {
            path = find_file(table->file, options);
            t2_free(path);
            if (!path)
                continue;
        }
        l->items = t2_realloc(l->items, l->n + 1, sizeof *l->items);
        l->items[l->n++] = table;
    }
}

/* ---- bringing it ---- */

/* The files that missing sources come from, each once. */
struct wanted {
    const struct dg_source_file **files;
    struct t2_strs *members; /* of each file */
    bool *has_pattern;
    size_t n;
};

static size_t want_file(struct wanted *w, const struct dg_source_file *f)
{
    size_t i;

    for (i = 0; i < w->n; i++) {
        if (w->files[i] == f)
            return i;
    }
    w->n++;
    w->files = t2_realloc(w->files, w->n, sizeof *w->files);
    w->members = t2_realloc(w->members, w->n, sizeof *w->members);
    w->has_pattern = t2_realloc(w->has_pattern, w->n, sizeof *w->has_pattern);
    w->files[i] = f;
    w->members[i] = (struct t2_strs){NULL, 0, 0};
    w->has_pattern[i] = false;
    return i;
}

static void want_member(struct t2_strs *members, const char *name)
{
    if (name && !t2_strs_contains(members, name))
        t2_strs_push(members, name);
}

static struct wanted find_wanted(const struct dg_parallel_list *l, const struct dg_options *options)
{
    struct wanted w = {NULL, NULL, NULL, 0};
    size_t k;

    for (size_t i = 0; i < l->n; i++) {
        const struct dg_parallel_source *s = l->items[i];
        if (is_there(s, options))
            continue;
        k = want_file(&w, s->file);
        want_member(&w.members[k], s->lang1);
        want_member(&w.members[k], s->lang2);
        w.has_pattern[k] |= s->kind == DG_PARALLEL_TSV;
    }
    return w;
}

static void wanted_release(struct wanted *w)
{
    for (size_t i = 0; i < w->n; i++)
        t2_strs_release(&w->members[i]);
    t2_free(w->files);
    t2_free(w->members);
    t2_free(w->has_pattern);
}

static enum t2_status unpack(const struct wanted *w, size_t i, const char *archive,
                             const struct dg_options *options, struct t2_err *err)
{
    char *mark = w->has_pattern[i] ? unpacking_mark(w->files[i], options) : NULL;
    enum t2_status st = T2_OK;

    t2_info("Unpacking from %s", archive);
    if (mark)
        st = t2_write_file(mark, "", 0, err);
    if (st == T2_OK)
        st = dg_archive_extract(archive, NULL, &w->members[i], options->tmp_dir, NULL, err);
    if (st == T2_OK && mark)
        st = t2_remove(mark, err);
    t2_free(mark);
    return st;
}

/* Another run may have brought some of it while this one waited. */
static enum t2_status unpack_missing(const struct dg_parallel_list *l, const struct wanted *fetched,
                                     const struct dg_fetch_result *results,
                                     const struct dg_options *options, struct t2_err *err)
{
    struct wanted w = find_wanted(l, options);
    enum t2_status st = T2_OK;
    size_t k;

    for (size_t i = 0; i < w.n && st == T2_OK; i++) {
        for (k = 0; k < fetched->n && fetched->files[k] != w.files[i]; k++)
            continue;
        T2_ASSERT(k < fetched->n); /* what was there does not go */
        if (w.members[i].n > 0)
            st = unpack(&w, i, results[k].path, options, err);
    }
    wanted_release(&w);
    return st;
}

enum t2_status dg_parallel_provide(const struct dg_parallel_list *l,
                                   const struct dg_options *options, struct t2_err *err)
{
    struct wanted w = find_wanted(l, options);
    struct dg_fetch_result *results;
    struct t2_lock lock = {-1, NULL};
    enum t2_status st = T2_OK;

    if (w.n == 0)
        return T2_OK;
    results = t2_alloc(w.n, sizeof *results);
    st = dg_fetch(w.files, w.n, options->tmp_dir, options->fetch, results, err);
    if (st == T2_OK)
        st = t2_make_dirs(options->tmp_dir, err);
    if (st == T2_OK)
        st = t2_lock_wait(options->tmp_dir, "unpacking", "unpacking archives", &lock, err);
    if (st == T2_OK) {
        st = unpack_missing(l, &w, results, options, err);
        t2_lock_give(&lock);
    }
    dg_fetch_release(results, w.n);
    t2_free(results);
    wanted_release(&w);
    return st;
}

/* ---- saying it ---- */

static void add_member(const char *member, const struct dg_options *options, unsigned copies,
                       struct dg_input_sizes *sizes)
{
    char *path = dg_member_path(member, options);

    dg_sizes_add_file(sizes, path, copies);
    t2_free(path);
}

/* Unpacked files count as they are; the others by the archive, which is unpacked first. */
static void add_sizes(const struct dg_parallel_source *s, const char *archive, unsigned copies,
                      const struct dg_options *options, struct dg_input_sizes *sizes)
{
    if (!is_there(s, options) || (s->kind == DG_PARALLEL_TSV && archive)) {
        dg_sizes_add_source(sizes, s->file, archive, options->tmp_dir,
                            copies + (s->kind != DG_PARALLEL_TMX));
    } else if (s->kind == DG_PARALLEL_TMX) {
        dg_sizes_add_source(sizes, s->file, archive, options->tmp_dir, copies);
    } else if (s->kind != DG_PARALLEL_TSV) {
        add_member(s->lang1, options, copies, sizes);
        add_member(s->lang2, options, copies, sizes);
    }
}

void dg_parallel_describe(const struct dg_parallel_list *l, const struct dg_options *options,
                          unsigned copies, struct dg_input_sizes *sizes)
{
    struct t2_err none = T2_ERR_INIT;

    for (size_t i = 0; i < l->n; i++) {
        const struct dg_parallel_source *s = l->items[i];
        char *path = find_file(s->file, options), *name = NULL, human[32];
        const char *state = is_there(s, options) ? "there"
                            : path               ? "to be unpacked"
                            : s->file->gone      ? "not to be had, "
                                                 : "to be downloaded";
        if (dg_source_name(s->file, &name, &none) != T2_OK)
            name = t2_strdup("?");
        t2_buf_printf(&sizes->text, "    %s%s%s%s of %s: %s", s->lang1 ? s->lang1 : "segments",
                      s->lang2 ? ", " : "", s->lang2 ? s->lang2 : "",
                      s->kind == DG_PARALLEL_TSV ? " (columns)" : "", name, state);
        add_sizes(s, path, copies, options, sizes);
        if (!path && !is_there(s, options) && s->file->size_bytes)
            t2_buf_printf(&sizes->text, " (%s)",
                          t2_human_bytes(s->file->size_bytes, human, sizeof human));
        if (s->file->gone && !path && !is_there(s, options))
            t2_buf_puts(&sizes->text, s->file->gone);
        t2_buf_push(&sizes->text, '\n');
        t2_free(name);
        t2_free(path);
    }
}
