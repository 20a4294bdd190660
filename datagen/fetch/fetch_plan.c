/*
 * datagen/fetch/fetch_plan.c - what dg_fetch would do.
 */
#include "base/alloc.h"
#include "base/file.h"
#include "base/signals.h"
#include "datagen/fetch/download.h"
#include "datagen/fetch/fetch_defaults.h"
#include "datagen/fetch/fetch_files.h"
#include "datagen/fetch/part_file.h"
#include "datagen/fetch/source_lookup.h"

void dg_fetch_plan_release(struct dg_fetch_plan *plan, size_t n)
{
    size_t i;

    for (i = 0; i < n; ++i) {
        t2_free(plan[i].path);
        t2_free(plan[i].url);
        plan[i] = (struct dg_fetch_plan){0};
    }
}

static bool note_size(void *context, const struct dg_answer *a)
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

static uint64_t announced_size(const char *url, const struct dg_fetch_options *o)
{
    uint64_t size = 0;
    struct dg_request r = {.url = url,
                           .head_only = true,
                           .proxy = o->proxy,
                           .connect_timeout_s = o->connect_timeout_s,
                           .stall_timeout_s = o->stall_timeout_s,
                           .context = &size,
                           .start = note_size,
                           .body = ignore_body};
    struct dg_session *s = dg_session_new();
    struct dg_answer a;

    if (dg_session_get(s, &r, &a) != DG_GET_WHOLE)
        size = 0;
    dg_answer_release(&a);
    dg_session_free(s);
    return size;
}

static void plan_absent(const struct dg_source_file *f, const char *name, const char *tmp_dir,
                        const struct dg_fetch_options *o, bool ask_size, struct dg_fetch_plan *plan)
{
    struct t2_strs urls = {0};
    struct dg_part part;

    dg_remote_urls(f, name, o, &urls);
    plan->path = t2_path_join(tmp_dir, name);
    plan->url = urls.n ? t2_strdup(urls.items[0]) : NULL;
    dg_part_look(&part, tmp_dir, name);
    plan->part_bytes = part.have_bytes;
    plan->size_bytes = f->size_bytes ? f->size_bytes : part.state.total_bytes;
    dg_part_release(&part);
    if (plan->size_bytes == 0 && plan->url && ask_size && !o->offline)
        plan->size_bytes = announced_size(plan->url, o);
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
    size_t i;

    for (i = 0; i < n; ++i)
        plan[i] = (struct dg_fetch_plan){0};
    for (i = 0; i < n && st == T2_OK; ++i) {
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
            plan_absent(files[i], name, dir, &o, ask_sizes, &plan[i]);
        t2_free(name);
    }
    t2_free(dir);
    return st;
}
