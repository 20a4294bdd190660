/*
 * datagen/fetch/fetch_plan.c - what dg_fetch would do.
 */
#include "base/alloc.h"
#include "base/file.h"
#include "base/pool.h"
#include "base/remote/http.h"
#include "base/signals.h"
#include "datagen/fetch/fetch_defaults.h"
#include "datagen/fetch/fetch_files.h"
#include "datagen/fetch/part_file.h"
#include "datagen/fetch/source_lookup.h"

void dg_fetch_plan_release(struct dg_fetch_plan *plan, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        t2_free(plan[i].path);
        t2_free(plan[i].url);
        plan[i] = (struct dg_fetch_plan){0};
    }
}

static bool note_size(void *context, const struct t2_http_answer *a)
{
    if (a->status == 200 && a->has_length)
        *(uint64_t *) context = a->length_bytes;
    return true;
}

static bool ignore_body(void *context, const void *data, size_t len_bytes)
{
    (void) context, (void) data, (void) len_bytes;
    return false;
}

/* A plan is not worth a long wait for a server that is gone. */
static int at_most(int seconds)
{
    enum { PATIENCE_S = 10 };

    return seconds < PATIENCE_S ? seconds : PATIENCE_S;
}

static uint64_t announced_size(const char *url, const struct dg_fetch_options *o)
{
    uint64_t size = 0;
    struct t2_http_request r = {.url = url,
                                .head_only = true,
                                .proxy = o->proxy,
                                .connect_timeout_s = at_most(o->connect_timeout_s),
                                .stall_timeout_s = at_most(o->stall_timeout_s),
                                .context = &size,
                                .start = note_size,
                                .body = ignore_body};
    struct t2_http_session *s = t2_http_session_new();
    struct t2_http_answer a;

    if (t2_http_session_get(s, &r, &a) != T2_HTTP_WHOLE)
        size = 0;
    t2_http_answer_release(&a);
    t2_http_session_free(s);
    return size;
}

/* Asks for the sizes that are not known, several at once. */
struct asking {
    const struct dg_fetch_options *options;
    struct dg_fetch_plan *plan;
};

static void ask_piece(void *arg, int64_t piece, int worker)
{
    struct asking *a = arg;
    struct dg_fetch_plan *p = &a->plan[piece];

    (void) worker;
    if (p->how == DG_FETCH_ABSENT && p->url && p->size_bytes == 0)
        p->size_bytes = announced_size(p->url, a->options);
}

static void ask_sizes_of(struct dg_fetch_plan *plan, size_t n, const struct dg_fetch_options *o)
{
    struct asking a = {o, plan};
    struct t2_pool *pool = t2_pool_new(o->parallel);

    t2_pool_run(pool, (int64_t) n, ask_piece, &a);
    t2_pool_free(pool);
}

static void plan_absent(const struct dg_source_file *f, const char *name, const char *tmp_dir,
                        const struct dg_fetch_options *o, struct dg_fetch_plan *plan)
{
    struct t2_strs urls = {0};
    struct dg_part part;

    dg_remote_urls(f, name, o, &urls);
    plan->path = t2_path_join(tmp_dir, name);
    plan->url = urls.n ? t2_strdup(urls.items[0]) : NULL;
    dg_part_look(&part, tmp_dir, name);
    plan->part_bytes = part.have_bytes;
    plan->size_bytes = f->size_bytes            ? f->size_bytes
                       : part.state.total_bytes ? part.state.total_bytes
                                                : f->about_bytes;
    dg_part_release(&part);
    t2_strs_release(&urls);
}

enum t2_status dg_fetch_make_plan(const struct dg_source_file *const *files, size_t n,
                                  const char *tmp_dir, const struct dg_fetch_options *options,
                                  bool ask_sizes, struct dg_fetch_plan *plan, struct t2_err *err)
{
    const struct dg_fetch_options o = dg_fetch_defaults(options);
    char *dir = t2_path_expand(tmp_dir), *name;
    struct dg_fetch_result found;
    enum t2_status st = T2_OK;

    for (size_t i = 0; i < n; i++)
        plan[i] = (struct dg_fetch_plan){0};
    for (size_t i = 0; i < n && st == T2_OK; i++) {
        st = t2_check_interrupt(err);
        if (st == T2_OK)
            st = dg_source_name(files[i], &name, err);
        if (st != T2_OK)
            break;
        dg_find_source(files[i], name, dir, &o, &found);
        plan[i].how = found.how;
        plan[i].path = found.path;
        plan[i].size_bytes = found.size_bytes;
        if (found.how == DG_FETCH_ABSENT)
            plan_absent(files[i], name, dir, &o, &plan[i]);
        t2_free(name);
    }
    if (st == T2_OK && ask_sizes && !o.offline && !t2_http_missing())
        ask_sizes_of(plan, n, &o);
    t2_free(dir);
    return st;
}

static void put_row(const struct dg_fetch_plan *p, struct t2_buf *text)
{
    char size[32], part[32];

    if (p->how != DG_FETCH_ABSENT)
        t2_buf_printf(text, "there     %10s  %s\n",
                      t2_human_bytes(p->size_bytes, size, sizeof size), p->path);
    else
        t2_buf_printf(text, "%s  %10s  %s%s%s -> %s\n", p->url ? "download" : "missing ",
                      p->size_bytes ? t2_human_bytes(p->size_bytes, size, sizeof size) : "?",
                      p->url ? p->url : "", p->part_bytes ? ", from byte " : "",
                      p->part_bytes ? t2_human_bytes(p->part_bytes, part, sizeof part) : "",
                      p->path);
}

void dg_fetch_plan_put(const struct dg_fetch_plan *plan, size_t n, const char *indent,
                       struct t2_buf *text)
{
    for (size_t i = 0; i < n; i++) {
        t2_buf_puts(text, indent);
        put_row(&plan[i], text);
    }
}
