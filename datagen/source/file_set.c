/*
 * datagen/source/file_set.c - many files of a source, sorted by name.
 *
 * Members of an archive are copied into one temporary file (base/spool.h) in the order in which
 * they come, as an archive can only be read forward; the entries are then sorted by name, and each
 * content is read from its offset. Files of an unpacked source are read where they are. A content
 * of more than an eighth of --max_memory, or 64 MiB, is mapped instead of read.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/spool.h"
#include "datagen/source/source_files.h"

struct entry {
    char *name;
    size_t offset, len_bytes; /* in the spool */
};

struct dg_file_set {
    char *path; /* of the archive or the folder, for messages */
    const char *const *patterns;
    size_t n_patterns;
    struct entry *items;
    size_t n, capacity;
    struct t2_spool *spool; /* NULL: files on disk */
    struct t2_slice all;
    const struct dg_source *source;
    const struct dg_options *options;
    struct t2_buf content;
    struct t2_mapped mapped; /* in its place when the file is large */
};

/* "*" does not match a slash, except in a pattern with "**". */
static bool is_wanted(const struct dg_file_set *set, const char *name)
{
    for (size_t i = 0; i < set->n_patterns; i++) {
        const char *pattern = set->patterns[i];
        int flags = FNM_NOESCAPE | (strstr(pattern, "**") ? 0 : FNM_PATHNAME);
        if (fnmatch(pattern, name, flags) == 0)
            return true;
    }
    return false;
}

static void add(struct dg_file_set *set, char *name, size_t offset, size_t len_bytes)
{
    if (set->n == set->capacity) {
        set->capacity = set->capacity ? 2 * set->capacity : 64;
        set->items = t2_realloc(set->items, set->capacity, sizeof *set->items);
    }
    set->items[set->n++] = (struct entry){name, offset, len_bytes};
}

static int by_name(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    /* Of members of the same name the last one counts: it comes first, others are dropped. */
    return order ? order : x->offset > y->offset ? -1 : 1;
}

static void sort(struct dg_file_set *set)
{
    size_t n = 0;

    if (set->n)
        qsort(set->items, set->n, sizeof *set->items, by_name);
    for (size_t i = 0; i < set->n; i++) {
        if (n && strcmp(set->items[n - 1].name, set->items[i].name) == 0)
            t2_free(set->items[i].name);
        else
            set->items[n++] = set->items[i];
    }
    set->n = n;
}

/* ---- on disk ---- */

/*
 * Whether a wanted file may lie below this folder: compares the pattern up to its first wildcard
 * ("fixed" bytes) with the folder.  "a/b" leads on for "a/b/?" and for "a/?".
 */
static bool leads_on(const struct dg_file_set *set, const char *folder)
{
    size_t len = strlen(folder);

    for (size_t i = 0; i < set->n_patterns; i++) {
        const char *pattern = set->patterns[i];
        size_t fixed = strcspn(pattern, "*?[");
        size_t same = fixed < len ? fixed : len;
        if (strncmp(pattern, folder, same) == 0 &&
            (fixed > len ? pattern[len] == '/' : fixed <= len))
            return true;
    }
    return false;
}

static enum t2_status walk(struct dg_file_set *set, const char *folder, int depth,
                           struct t2_err *err)
{
    enum { MAX_DEPTH = 32 };
    char *path = dg_source_unpacked(set->source, folder, set->options);
    struct t2_strs names = {0};
    enum t2_status st = depth < MAX_DEPTH ? t2_list_dir(path, &names, err) : T2_OK;

    for (size_t i = 0; i < names.n && st == T2_OK; i++) {
        char *name = *folder ? t2_path_join(folder, names.items[i]) : t2_strdup(names.items[i]);
        char *full = dg_source_unpacked(set->source, name, set->options);
        struct t2_file_info at;
        bool kept = false;
        st = t2_look_at(full, &at, err);
        if (st != T2_OK) {
        } else if (at.kind == T2_FILE_DIR) {
            if (leads_on(set, name))
                st = walk(set, name, depth + 1, err);
        } else if (is_wanted(set, name)) {
            add(set, name, 0, 0);
            kept = true;
        }
        t2_free(full);
        if (!kept)
            t2_free(name);
    }
    t2_strs_release(&names);
    t2_free(path);
    return st;
}

/* ---- in an archive ---- */

static enum t2_status copy(struct dg_file_set *set, struct dg_archive *a, struct t2_err *err)
{
    enum { CHUNK_BYTES = 1 << 16 };
    size_t n = 1;

    while (n > 0) {
        uint8_t *to = t2_buf_reserve(&set->content, CHUNK_BYTES);
        T2_TRY(dg_archive_read(a, to, CHUNK_BYTES, &n, err));
        t2_spool_write(set->spool, to, n);
    }
    return T2_OK;
}

static enum t2_status read_archive(struct dg_file_set *set, struct t2_err *err)
{
    char *beside = t2_path_join(set->options->tmp_dir, "members");
    struct dg_archive *a = NULL;
    struct dg_member m;
    enum t2_status st;

    T2_GOTO(st, out, dg_archive_open(set->path, NULL, &a, err));
    T2_GOTO(st, out, t2_make_dirs(set->options->tmp_dir, err));
    T2_GOTO(st, out, t2_spool_new(beside, &set->spool, err));
    while ((st = dg_archive_next(a, &m, err)) == T2_OK) {
        size_t offset = (size_t) t2_spool_bytes(set->spool);
        if (!is_wanted(set, m.name))
            continue;
        add(set, t2_strdup(m.name), offset, 0);
        T2_GOTO(st, out, copy(set, a, err));
        set->items[set->n - 1].len_bytes = (size_t) t2_spool_bytes(set->spool) - offset;
    }
    if (st == T2_EOF)
        st = t2_spool_rewind(set->spool, err);
out:
    dg_archive_free(a);
    t2_free(beside);
    return st;
}

/* ---- the set ---- */

static bool is_on_disk(const struct dg_file_set *set)
{
    char *path =
        set->source->sign ? dg_source_unpacked(set->source, set->source->sign, set->options) : NULL;
    bool there = path && t2_exists(path);

    t2_free(path);
    return there;
}

static enum t2_status fill(struct dg_file_set *set, struct t2_err *err)
{
    if (is_on_disk(set)) {
        set->path = dg_source_unpacked(set->source, "", set->options);
        T2_TRY(walk(set, "", 0, err));
    } else {
        T2_TRY(dg_source_path(set->source, set->options, &set->path, err));
        T2_TRY(read_archive(set, err));
    }
    sort(set);
    if (set->n == 0)
        return t2_fail(err, T2_ENOTFOUND, "'%s' has no file '%s'", set->path, set->patterns[0]);
    return T2_OK;
}

enum t2_status dg_file_set_open(const struct dg_source *source, const char *const *patterns,
                                size_t n_patterns, const struct dg_options *options,
                                struct dg_file_set **set, struct t2_err *err)
{
    struct dg_file_set *s = t2_alloc(1, sizeof *s);
    enum t2_status st;

    s->source = source;
    s->options = options;
    s->patterns = patterns;
    s->n_patterns = n_patterns;
    st = fill(s, err);
    if (st != T2_OK) {
        dg_file_set_free(s);
        s = NULL;
    }
    *set = s;
    return st;
}

void dg_file_set_free(struct dg_file_set *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->n; i++)
        t2_free(set->items[i].name);
    t2_free(set->items);
    t2_spool_free(set->spool);
    t2_buf_release(&set->content);
    t2_unmap_file(&set->mapped);
    t2_free(set->path);
    t2_free(set);
}

size_t dg_file_set_count(const struct dg_file_set *set)
{
    return set->n;
}

const char *dg_file_set_name(const struct dg_file_set *set, size_t i)
{
    T2_ASSERT(i < set->n);
    return set->items[i].name;
}

size_t dg_file_set_find(const struct dg_file_set *set, const char *name)
{
    size_t low = 0, high = set->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(set->items[middle].name, name);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return set->n;
}

/* Larger files are mapped: the system may take their pages back at any time. */
static uint64_t most_read(const struct dg_file_set *set)
{
    enum { SHARE = 8 };
    const uint64_t most = 64 << 20;
    uint64_t share = set->options->max_memory / SHARE;

    return share && share < most ? share : most;
}

static enum t2_status content_of_spool(struct dg_file_set *set, const struct entry *e,
                                       struct t2_slice *content, struct t2_err *err)
{
    *content = (struct t2_slice){(const uint8_t *) "", e->len_bytes};
    if (e->len_bytes > most_read(set)) {
        T2_TRY(t2_spool_map(set->spool, &set->all, err));
        content->data = set->all.data + e->offset;
    } else if (e->len_bytes > 0) {
        t2_buf_clear(&set->content);
        content->data = t2_buf_reserve(&set->content, e->len_bytes);
        T2_TRY(t2_spool_read_at(set->spool, e->offset, set->content.data, e->len_bytes, err));
    }
    return T2_OK;
}

enum t2_status dg_file_set_content(struct dg_file_set *set, size_t i, struct t2_slice *content,
                                   struct t2_err *err)
{
    const struct entry *e = &set->items[i];
    char *path;
    uint64_t bytes;
    enum t2_status st;

    T2_ASSERT(i < set->n);
    if (set->spool)
        return content_of_spool(set, e, content, err);
    path = dg_source_unpacked(set->source, e->name, set->options);
    t2_unmap_file(&set->mapped);
    st = t2_file_size(path, &bytes, err);
    if (st == T2_OK && bytes > most_read(set)) {
        st = t2_map_file(path, &set->mapped, err);
        *content = (struct t2_slice){set->mapped.data, set->mapped.len_bytes};
    } else if (st == T2_OK) {
        st = t2_read_file(path, most_read(set), &set->content, err);
        *content = t2_buf_slice(&set->content);
    }
    t2_free(path);
    return st;
}

enum t2_status dg_file_set_note(struct dg_file_set *set, const char *prefix, const char *role,
                                struct dg_input_files *files, struct t2_err *err)
{
    struct t2_sha256 *h = t2_sha256_new();
    struct t2_slice content = {0};
    enum t2_status st = T2_OK;
    uint64_t bytes = 0, n = 0;
    char sha256[65];

    for (size_t i = 0; i < set->n && st == T2_OK; i++) {
        if (!t2_starts_with(set->items[i].name, prefix))
            continue;
        st = dg_file_set_content(set, i, &content, err);
        t2_sha256_update(h, set->items[i].name, strlen(set->items[i].name) + 1);
        t2_sha256_update(h, content.data, content.len_bytes);
        bytes += content.len_bytes;
        n++;
    }
    t2_sha256_peek(h, sha256);
    t2_sha256_free(h);
    if (st == T2_OK) {
        char *path = t2_asprintf("%s: %s*", set->path, prefix);
        dg_input_files_add(files, path, role, bytes, n, sha256);
        t2_free(path);
    }
    return st;
}
