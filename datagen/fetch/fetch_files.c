/*
 * datagen/fetch/fetch_files.c - the files a problem is made from: found, or downloaded and
 * verified.
 */
#include "datagen/fetch/fetch_files.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/pool.h"
#include "datagen/fetch/fetch_defaults.h"
#include "datagen/fetch/fetch_one.h"
#include "datagen/fetch/source_lookup.h"

struct fetching {
    struct dg_fetch_options options;
    const char *tmp_dir;
    struct dg_fetch_job *jobs; /* one per file; name NULL: nothing to do */
    struct dg_fetch_result *results;
    struct t2_err *errs;
    size_t n, *absent, n_absent; /* indices of files to download */
    struct dg_fetch_meter meter;
};

size_t dg_source_count(const struct dg_source_file *const *files)
{
    size_t n = 0;

    while (files && files[n])
        n++;
    return n;
}

void dg_fetch_release(struct dg_fetch_result *results, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        t2_free(results[i].path);
        results[i] = (struct dg_fetch_result){0};
    }
}

/* Why f cannot be downloaded at all; T2_OK when it can. */
static enum t2_status refuse_absent(const struct fetching *g, size_t i, struct t2_err *err)
{
    const struct dg_source_file *f = g->jobs[i].file;
    const char *name = g->jobs[i].name, *url = "";
    struct t2_strs urls = {0};
    enum t2_status st = T2_OK;

    dg_remote_urls(f, name, &g->options, &urls);
    url = urls.n ? urls.items[0] : f->urls && f->urls[0] ? f->urls[0] : "";
    if (f->is_folder)
        st =
            t2_fail(err, T2_ENOTFOUND, "the folder '%s' is yours to provide: %s; put it at '%s/%s'",
                    name, f->gone, g->tmp_dir, name);
    else if (f->gone && urls.n == 0)
        st = t2_fail(err, T2_ENOTFOUND, "'%s' cannot be downloaded any more: %s; put it at '%s/%s'",
                     name, f->gone, g->tmp_dir, name);
    else if (urls.n == 0)
        st = t2_fail(err, T2_ENOTFOUND, "'%s' is not there, or is another file; put it at '%s/%s'",
                     *url ? url : name, g->tmp_dir, name);
    else if (g->options.offline || t2_http_missing())
        st = t2_fail(err, g->options.offline ? T2_ENOTFOUND : T2_EUNSUPPORTED,
                     "%s: '%s' is missing; put it at '%s/%s'",
                     g->options.offline ? "--offline" : t2_http_missing(), url, g->tmp_dir, name);
    t2_strs_release(&urls);
    return st;
}

/* The first file of the same name: i itself when there is none before. */
static size_t first_of_name(const struct fetching *g, size_t i)
{
    size_t k = 0;

    while (k < i && !(g->jobs[k].name && strcmp(g->jobs[k].name, g->jobs[i].name) == 0))
        k++;
    return k;
}

static bool is_same_source(const struct dg_source_file *a, const struct dg_source_file *b)
{
    const char *x = a->urls ? a->urls[0] : NULL, *y = b->urls ? b->urls[0] : NULL;

    return a == b || (x && y && strcmp(x, y) == 0);
}

/* A run that was killed when it had just given the file its name leaves the state of the part. */
static void remove_leftover(const struct dg_fetch_result *r)
{
    char *path = t2_asprintf("%s.part.json", r->path);
    struct t2_err ignored = T2_ERR_INIT;

    if (r->how == DG_FETCH_FOUND && t2_remove(path, &ignored) != T2_OK)
        t2_debug("%s", ignored.message);
    t2_free(path);
}

/* What is there is taken; the rest is noted in absent, or refused. */
static void look(struct fetching *g, size_t i)
{
    struct dg_fetch_job *j = &g->jobs[i];
    size_t first;

    if (dg_source_name(j->file, &j->name, &g->errs[i]) != T2_OK)
        return;
    first = first_of_name(g, i);
    if (first < i) {
        if (!is_same_source(j->file, g->jobs[first].file))
            (void) t2_fail(&g->errs[i], T2_EUSAGE, "two different files are to be '%s'", j->name);
        return;
    }
    dg_find_source(j->file, j->name, g->tmp_dir, &g->options, &g->results[i]);
    if (g->results[i].how != DG_FETCH_ABSENT) {
        t2_info("Not downloading, file already found: %s", g->results[i].path);
        remove_leftover(&g->results[i]);
    } else if (refuse_absent(g, i, &g->errs[i]) == T2_OK) {
        g->absent[g->n_absent++] = i;
    }
}

static void fetch_piece(void *arg, int64_t piece, int worker)
{
    struct fetching *g = arg;
    size_t i = g->absent[piece];

    (void) worker;
    if (dg_fetch_one(&g->jobs[i], &g->results[i], &g->errs[i]) != T2_OK)
        T2_ASSERT(g->errs[i].status != T2_OK);
}

static enum t2_status check_room(const struct fetching *g, struct t2_err *err)
{
    struct t2_err ignored = T2_ERR_INIT;
    uint64_t need = 0, is_free;
    char text[2][32];

    for (size_t i = 0; i < g->n_absent; i++)
        need += g->jobs[g->absent[i]].file->size_bytes;
    if (t2_disk_free(g->tmp_dir, &is_free, &ignored) != T2_OK || need <= is_free)
        return T2_OK;
    return t2_fail(err, T2_EIO, "the downloads need %s, '%s' has %s free",
                   t2_human_bytes(need, text[0], sizeof text[0]), g->tmp_dir,
                   t2_human_bytes(is_free, text[1], sizeof text[1]));
}

static enum t2_status download(struct fetching *g, struct t2_err *err)
{
    struct t2_pool *pool;
    int n_at_once;

    if (g->n_absent == 0)
        return T2_OK;
    T2_TRY(t2_make_dirs(g->tmp_dir, err));
    T2_TRY(check_room(g, err));
    n_at_once =
        g->n_absent < (size_t) g->options.parallel ? (int) g->n_absent : g->options.parallel;
    dg_meter_init(&g->meter, (int) g->n_absent, g->options.max_rate);
    pool = t2_pool_new(n_at_once);
    t2_pool_run(pool, (int64_t) g->n_absent, fetch_piece, g);
    t2_pool_free(pool);
    dg_meter_release(&g->meter);
    return T2_OK;
}

/* A file that was asked for twice was brought once. */
static void copy_repeated(struct fetching *g)
{
    size_t first;

    for (size_t i = 0; i < g->n; i++) {
        first = g->jobs[i].name ? first_of_name(g, i) : i;
        if (first == i || g->errs[i].status != T2_OK || !g->results[first].path)
            continue;
        g->results[i] = g->results[first];
        g->results[i].path = t2_strdup(g->results[first].path);
    }
}

/* The first failure is returned, the others are logged. */
static enum t2_status first_failure(const struct fetching *g, struct t2_err *err)
{
    const struct t2_err *first = NULL;

    for (size_t i = 0; i < g->n; i++) {
        if (g->errs[i].status == T2_EINTERRUPTED) {
            *err = g->errs[i];
            return err->status;
        }
        if (!first && g->errs[i].status != T2_OK)
            first = &g->errs[i];
    }
    for (size_t i = 0; i < g->n; i++)
        if (g->errs[i].status != T2_OK && &g->errs[i] != first)
            t2_log(T2_LOG_ERROR, "%s", g->errs[i].message);
    if (!first)
        return T2_OK;
    *err = *first;
    return err->status;
}

enum t2_status dg_fetch(const struct dg_source_file *const *files, size_t n, const char *tmp_dir,
                        const struct dg_fetch_options *options, struct dg_fetch_result *results,
                        struct t2_err *err)
{
    char *dir = t2_path_expand(tmp_dir);
    struct fetching g = {.options = dg_fetch_defaults(options), .tmp_dir = dir, .n = n};
    enum t2_status st;

    g.jobs = t2_alloc(n, sizeof *g.jobs);
    g.errs = t2_alloc(n, sizeof *g.errs);
    g.absent = t2_alloc(n, sizeof *g.absent);
    g.results = results;
    for (size_t i = 0; i < n; i++) {
        results[i] = (struct dg_fetch_result){0};
        g.jobs[i] = (struct dg_fetch_job){.file = files[i],
                                          .tmp_dir = dir,
                                          .options = &g.options,
                                          .meter = &g.meter};
        look(&g, i);
    }
    st = download(&g, err);
    copy_repeated(&g);
    if (st == T2_OK)
        st = first_failure(&g, err);
    for (size_t i = 0; i < n; i++)
        t2_free(g.jobs[i].name);
    t2_free(g.jobs);
    t2_free(g.errs);
    t2_free(g.absent);
    t2_free(dir);
    return st;
}
