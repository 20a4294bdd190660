/*
 * datagen/fetch/fetch_command.c - t2t-datagen --fetch: downloads without a problem.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "datagen/fetch/fetch_flags.h"

/* The files that the flags name; all pointers lead into the lists. */
struct wanted {
    struct t2_strs files, digests;
    struct t2_strs *mirrors; /* of each file */
    struct dg_source_file *sources;
    const struct dg_source_file **list; /* to each of sources */
};

static void wanted_release(struct wanted *w)
{
    for (size_t i = 0; i < w->files.n; i++) {
        if (w->sources)
            t2_free((void *) (uintptr_t) w->sources[i].urls);
        if (w->mirrors)
            t2_strs_release(&w->mirrors[i]);
    }
    t2_free(w->list);
    t2_free(w->sources);
    t2_free(w->mirrors);
    t2_strs_release(&w->files);
    t2_strs_release(&w->digests);
}

static const char *const *url_list(const struct t2_strs *urls)
{
    const char **list = t2_alloc(urls->n + 1, sizeof *list);

    for (size_t i = 0; i < urls->n; i++)
        list[i] = urls->items[i];
    return list;
}

static bool is_digest(const char *s)
{
    return strlen(s) == 64 && strspn(s, "0123456789abcdefABCDEF") == 64;
}

static enum t2_status read_wanted(const struct dg_fetch_flags *f, struct wanted *w,
                                  struct t2_err *err)
{
    t2_strs_split(&w->files, f->fetch, ',');
    t2_strs_split(&w->digests, f->sha256, ',');
    if (w->digests.n && w->digests.n != w->files.n)
        return t2_fail(err, T2_EUSAGE, "--sha256 names %zu digests for %zu files", w->digests.n,
                       w->files.n);
    if (f->size < 0 || (f->size && w->files.n != 1))
        return t2_fail(err, T2_EUSAGE, "--size is the size of one file");
    w->mirrors = t2_alloc(w->files.n, sizeof *w->mirrors);
    w->sources = t2_alloc(w->files.n, sizeof *w->sources);
    w->list = t2_alloc(w->files.n, sizeof *w->list);
    for (size_t i = 0; i < w->files.n; i++) {
        const char *digest = w->digests.n ? w->digests.items[i] : "";
        if (*digest && !is_digest(digest))
            return t2_fail(err, T2_EUSAGE, "--sha256='%s': must be 64 hex digits", digest);
        if (w->files.items[i][0] == '\0')
            return t2_fail(err, T2_EUSAGE, "--fetch='%s': one of the names is empty", f->fetch);
        t2_strs_split(&w->mirrors[i], w->files.items[i], '|');
        w->list[i] = &w->sources[i];
        w->sources[i].urls = url_list(&w->mirrors[i]);
        w->sources[i].sha256 = *digest ? digest : NULL;
        w->sources[i].size_bytes = (uint64_t) f->size;
    }
    return T2_OK;
}

static enum t2_status fetch(const struct wanted *w, const char *tmp_dir,
                            const struct dg_fetch_options *options, struct t2_buf *text,
                            struct t2_err *err)
{
    struct dg_fetch_result *results = t2_alloc(w->files.n, sizeof *results);
    enum t2_status st = dg_fetch(w->list, w->files.n, tmp_dir, options, results, err);

    for (size_t i = 0; i < w->files.n; i++)
        if (results[i].path)
            t2_buf_printf(text, "%s\n", results[i].path);
    dg_fetch_release(results, w->files.n);
    t2_free(results);
    return st;
}

static enum t2_status plan(const struct wanted *w, const char *tmp_dir,
                           const struct dg_fetch_options *options, struct t2_buf *text,
                           struct t2_err *err)
{
    struct dg_fetch_plan *rows = t2_alloc(w->files.n, sizeof *rows);
    enum t2_status st = dg_fetch_make_plan(w->list, w->files.n, tmp_dir, options, true, rows, err);

    if (st == T2_OK)
        dg_fetch_plan_put(rows, w->files.n, "", text);
    dg_fetch_plan_release(rows, w->files.n);
    t2_free(rows);
    return st;
}

enum t2_status dg_fetch_command(const struct dg_fetch_flags *f, const char *tmp_dir,
                                bool is_dry_run, struct t2_buf *text, struct t2_err *err)
{
    struct dg_fetch_options options;
    struct wanted w = {0};
    enum t2_status st;

    T2_TRY(dg_fetch_flags_read(f, &options, err));
    st = read_wanted(f, &w, err);
    if (st == T2_OK)
        st = is_dry_run ? plan(&w, tmp_dir, &options, text, err)
                        : fetch(&w, tmp_dir, &options, text, err);
    wanted_release(&w);
    return st;
}
