/*
 * datagen/official/official_raw.c - finding, downloading, unpacking.
 *
 * The original's get_raw_files(): a source counts as present when both its text files are found
 * below the folder (at most DG_DEPTH_TEXT deep), an archive when its name is. Missing archives are
 * downloaded together, then unpacked in parallel, one thread each.
 */
#include "datagen/official/official_raw.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/signals.h"
#include "datagen/fetch/fetch_files.h"
#include "datagen/official/find_file.h"
#include "datagen/source/archive.h"

enum { MAX_SOURCES = 16, MAX_MEMBERS = 64, READ_BYTES = 1 << 18 };

static const char *url_of(const struct dg_official_source *s)
{
    return s->archive->urls[0];
}

/* ---- finding ---- */

/* Both files, or neither. */
static enum t2_status find_pair(const char *dir, const struct dg_official_source *s, char *paths[2],
                                const char **missing, struct t2_err *err)
{
    *missing = NULL;
    T2_TRY(dg_find_file(dir, s->inputs, DG_DEPTH_TEXT, &paths[0], err));
    T2_TRY(dg_find_file(dir, s->targets, DG_DEPTH_TEXT, &paths[1], err));
    if (paths[0] && paths[1])
        return T2_OK;
    *missing = paths[0] ? s->targets : s->inputs;
    t2_free(paths[0]);
    t2_free(paths[1]);
    return T2_OK;
}

enum t2_status dg_official_find(const char *dir, const struct dg_official_source *sources, size_t n,
                                struct dg_text_parts *parts, struct t2_err *err)
{
    const char *missing;
    char *paths[2];

    for (size_t i = 0; i < n; i++) {
        T2_TRY(find_pair(dir, &sources[i], paths, &missing, err));
        if (missing)
            return t2_fail(err, T2_ENOTFOUND,
                           "'%s' is not below '%s'; it is a member of %s, which data_download "
                           "brings there",
                           missing, dir, url_of(&sources[i]));
        dg_text_parts_add(parts, paths[0], paths[1]);
        t2_free(paths[0]);
        t2_free(paths[1]);
    }
    return T2_OK;
}

/* ---- unpacking ---- */

/* An archive being unpacked: each member is written to a temporary file beside its place, and all
 * are renamed at the end of the archive, so that a stopped run leaves no half pair. */
struct unpacking {
    struct dg_archive *archive;
    const char *const *names;
    const char *dir;
    uint8_t *buffer;
    struct t2_out *outs[MAX_MEMBERS];
    char *paths[MAX_MEMBERS];
    size_t n;
};

static bool is_wanted(const struct unpacking *u, const char *member)
{
    const char *base = t2_path_base(member);

    return strcmp(base, u->names[0]) == 0 || strcmp(base, u->names[1]) == 0;
}

static enum t2_status unpack_member(struct unpacking *u, const char *member, struct t2_err *err)
{
    char *path = t2_path_join(u->dir, member), *folder = t2_path_dir(path);
    size_t n_read;
    enum t2_status st = t2_make_dirs(folder, err);

    t2_free(folder);
    if (st == T2_OK)
        st = t2_out_new(path, &u->outs[u->n], err);
    if (st != T2_OK) {
        t2_free(path);
        return st;
    }
    u->paths[u->n++] = path;
    do {
        T2_TRY(t2_check_interrupt(err));
        T2_TRY(dg_archive_read(u->archive, u->buffer, READ_BYTES, &n_read, err));
        t2_out_write(u->outs[u->n - 1], u->buffer, n_read);
        T2_TRY(t2_out_status(u->outs[u->n - 1], err));
    } while (n_read > 0);
    return t2_out_finish(u->outs[u->n - 1], err);
}

static enum t2_status unpack_members(struct unpacking *u, struct t2_err *err)
{
    struct dg_member m;
    enum t2_status st;

    while ((st = dg_archive_next(u->archive, &m, err)) == T2_OK) {
        if (is_wanted(u, m.name) && u->n < MAX_MEMBERS)
            T2_TRY(unpack_member(u, m.name, err));
    }
    return st == T2_EOF ? T2_OK : st;
}

enum t2_status dg_official_unpack(const char *archive, const char *const names[2], const char *dir,
                                  struct t2_err *err)
{
    struct unpacking u = {.names = names, .dir = dir};
    enum t2_status st;

    T2_TRY(dg_archive_open(archive, NULL, &u.archive, err));
    u.buffer = t2_alloc(READ_BYTES, 1);
    st = unpack_members(&u, err);
    for (size_t i = 0; i < u.n; i++) {
        if (st == T2_OK)
            st = t2_out_commit_as(u.outs[i], u.paths[i], err);
        else
            t2_out_abort(u.outs[i]);
        t2_free(u.paths[i]);
    }
    t2_free(u.buffer);
    dg_archive_free(u.archive);
    return st;
}

/* ---- bringing ---- */

struct bringing {
    const char *dir;
    const struct dg_official_source *sources[MAX_SOURCES]; /* that are missing */
    char *archives[MAX_SOURCES];                           /* NULL: to be downloaded */
    struct t2_err errs[MAX_SOURCES];
    size_t n;
};

/* In the folder, as the original looks for it, or where fetch/ would find it. */
static enum t2_status find_archive(const char *dir, const struct dg_official_source *s,
                                   const struct dg_fetch_options *options, bool ask_size,
                                   char **path, struct dg_fetch_plan *plan, struct t2_err *err)
{
    T2_TRY(dg_find_file(dir, t2_path_base(url_of(s)), DG_DEPTH_ARCHIVE, path, err));
    if (*path)
        return T2_OK;
    T2_TRY(dg_fetch_make_plan(&s->archive, 1, dir, options, ask_size, plan, err));
    if (plan->how != DG_FETCH_ABSENT)
        *path = t2_strdup(plan->path);
    return T2_OK;
}

static enum t2_status look_for_archive(struct bringing *b, size_t i,
                                       const struct dg_fetch_options *options, struct t2_err *err)
{
    const char *url = url_of(b->sources[i]);
    struct dg_fetch_plan plan = {0};
    enum t2_status st =
        find_archive(b->dir, b->sources[i], options, false, &b->archives[i], &plan, err);

    if (st == T2_OK && b->archives[i])
        t2_info("Already downloaded: %s (at %s).", url, b->archives[i]);
    else if (st == T2_OK)
        t2_info("Downloading from %s to %s.", url, plan.path);
    dg_fetch_plan_release(&plan, 1);
    return st;
}

static enum t2_status download(struct bringing *b, const struct dg_fetch_options *options,
                               struct t2_err *err)
{
    const struct dg_source_file *list[MAX_SOURCES];
    struct dg_fetch_result results[MAX_SOURCES] = {{0}};
    size_t n = 0, k = 0;
    enum t2_status st;

    for (size_t i = 0; i < b->n; i++) {
        if (b->archives[i])
            continue;
        list[n++] = b->sources[i]->archive;
    }
    if (n == 0)
        return T2_OK;
    st = dg_fetch(list, n, b->dir, options, results, err);
    for (size_t i = 0; i < b->n && st == T2_OK; i++) {
        if (!b->archives[i])
            b->archives[i] = t2_strdup(results[k++].path);
    }
    dg_fetch_release(results, n);
    return st;
}

static enum t2_status unpack_and_look(const struct bringing *b, size_t i, struct t2_err *err)
{
    const struct dg_official_source *s = b->sources[i];
    const char *const names[2] = {s->inputs, s->targets};
    const char *missing;
    char *paths[2];

    T2_TRY(dg_official_unpack(b->archives[i], names, b->dir, err));
    T2_TRY(find_pair(b->dir, s, paths, &missing, err));
    if (missing)
        return t2_fail(err, T2_EFORMAT,
                       "Download/extraction failed for url %s to path %s: '%s' has no member '%s'",
                       url_of(s), b->dir, b->archives[i], missing);
    t2_free(paths[0]);
    t2_free(paths[1]);
    return T2_OK;
}

static void unpack_piece(void *arg, int64_t piece, int worker)
{
    struct bringing *b = arg;

    (void) worker;
    (void) unpack_and_look(b, (size_t) piece, &b->errs[piece]);
}

static enum t2_status unpack_all(struct bringing *b, struct t2_pool *pool, struct t2_err *err)
{
    for (size_t i = 0; i < b->n; i++)
        t2_info("Extracting %s.", b->archives[i]);
    t2_pool_run(pool, (int64_t) b->n, unpack_piece, b);
    for (size_t i = 0; i < b->n; i++) {
        if (b->errs[i].status != T2_OK) {
            *err = b->errs[i];
            return err->status;
        }
    }
    return T2_OK;
}

/* The sources whose text files are missing. */
static enum t2_status find_missing(struct bringing *b, const struct dg_official_source *sources,
                                   size_t n, struct t2_err *err)
{
    const char *missing;
    char *paths[2];

    for (size_t i = 0; i < n; i++) {
        T2_TRY(find_pair(b->dir, &sources[i], paths, &missing, err));
        if (missing) {
            b->sources[b->n++] = &sources[i];
            continue;
        }
        t2_info("Already downloaded and extracted %s.", url_of(&sources[i]));
        t2_free(paths[0]);
        t2_free(paths[1]);
    }
    return T2_OK;
}

enum t2_status dg_official_get(const char *dir, const struct dg_official_source *sources, size_t n,
                               const struct dg_fetch_options *fetch, struct t2_pool *pool,
                               struct t2_err *err)
{
    struct bringing b = {.dir = dir};
    enum t2_status st;

    T2_ASSERT(n <= MAX_SOURCES);
    st = find_missing(&b, sources, n, err);
    for (size_t i = 0; i < b.n && st == T2_OK; i++)
        st = look_for_archive(&b, i, fetch, err);
    if (st == T2_OK)
        st = download(&b, fetch, err);
    if (st == T2_OK && b.n > 0)
        st = unpack_all(&b, pool, err);
    for (size_t i = 0; i < b.n; i++)
        t2_free(b.archives[i]);
    return st;
}

/* ---- forecasts ---- */

/* Unpacked, then compiled. */
static void add_sizes(const struct dg_official_source *s, const char *archive,
                      const struct dg_fetch_plan *plan, struct dg_input_sizes *sizes)
{
    double factor = s->archive->text_factor;
    uint64_t left = plan->size_bytes > plan->part_bytes ? plan->size_bytes - plan->part_bytes : 0;

    if (archive)
        dg_sizes_add_source(sizes, s->archive, archive, NULL, 2);
    else
        dg_sizes_add(sizes, plan->path, plan->size_bytes, left,
                     factor > 0 ? factor : dg_unpack_factor(plan->path), 2);
}

static enum t2_status describe_missing(const char *dir, const struct dg_official_source *s,
                                       const struct dg_fetch_options *fetch,
                                       struct dg_input_sizes *sizes, struct t2_err *err)
{
    struct dg_fetch_plan plan = {0};
    char *path = NULL, human[32];
    enum t2_status st = find_archive(dir, s, fetch, !fetch || !fetch->offline, &path, &plan, err);

    if (st == T2_OK)
        add_sizes(s, path, &plan, sizes);
    if (st == T2_OK && path)
        t2_buf_printf(&sizes->text, "    to be unpacked: '%s'\n", path);
    else if (st == T2_OK)
        t2_buf_printf(&sizes->text, "    to be downloaded: %s (%s)\n",
                      plan.url ? plan.url : url_of(s),
                      plan.size_bytes ? t2_human_bytes(plan.size_bytes, human, sizeof human)
                                      : "size not known");
    dg_fetch_plan_release(&plan, 1);
    t2_free(path);
    return st;
}

enum t2_status dg_official_describe(const char *dir, const struct dg_official_source *sources,
                                    size_t n, const struct dg_fetch_options *fetch,
                                    struct dg_input_sizes *sizes, struct t2_err *err)
{
    const char *missing;
    char *paths[2];

    for (size_t i = 0; i < n; i++) {
        T2_TRY(find_pair(dir, &sources[i], paths, &missing, err));
        if (missing) {
            T2_TRY(describe_missing(dir, &sources[i], fetch, sizes, err));
            continue;
        }
        dg_describe_file(paths[0], "inputs", sizes, err);
        dg_describe_file(paths[1], "targets", sizes, err);
        t2_free(paths[0]);
        t2_free(paths[1]);
    }
    return T2_OK;
}
