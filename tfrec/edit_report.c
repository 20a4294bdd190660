/*
 * tfrec/edit_report.c - flags that all editing commands have, and what they print.
 */
#include "tfrec/edit_report.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/shown.h"

bool rec_edit_dry_run, rec_edit_again, rec_edit_json;

char *rec_edit_command(const char *command, const char *const *flags, const struct t2_strs *words)
{
    struct t2_strs line = {NULL, 0, 0};
    char *text;

    t2_strs_push(&line, "tfrec");
    t2_strs_push(&line, command);
    for (; *flags; flags += 2) {
        if (flags[1] && *flags[1])
            t2_strs_take(&line, t2_asprintf("--%s=%s", flags[0], flags[1]));
    }
    for (size_t i = 0; i < words->n; i++)
        t2_strs_push(&line, words->items[i]);
    text = t2_flags_command_line((int) line.n, line.items);
    t2_strs_release(&line);
    return text;
}

static size_t n_shards(const struct rec_edit *e)
{
    size_t n = 0;

    for (size_t i = 0; i < e->m->n_splits; i++)
        n += e->m->splits[i].n_shards;
    return n;
}

/* A dry run of append has not made its shards, so counts come from here, not from the manifest. */
static uint64_t records_after(const struct rec_edit *e, const struct rec_edit_report *r)
{
    uint64_t now = tfr_manifest_records(e->m);

    return e->dry_run && now == e->n_records && r->split ? now + r->n : now;
}

static void print_json(const struct rec_edit *e, const struct rec_edit_report *r,
                       struct t2_buf *text)
{
    struct t2_json j;

    t2_json_init(&j, text, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "done", e ? e->dry_run ? "dry run" : "edited" : "before");
    if (e) {
        t2_json_kv_string(&j, "manifest", e->path);
        t2_json_kv_u64(&j, r->verb, r->n);
        t2_json_kv_u64(&j, "records_before", e->n_records);
        t2_json_kv_u64(&j, "records_after", records_after(e, r));
        t2_json_kv_u64(&j, "shards", n_shards(e));
        t2_json_kv_u64(&j, "shards_new", r->n_new);
        t2_json_kv_u64(&j, "shards_renamed", r->n_renamed);
        t2_json_kv_u64(&j, "shards_rewritten", r->n_rewritten);
    }
    t2_json_end_object(&j);
    t2_buf_push(text, '\n');
}

static void print_text(const struct rec_edit *e, const struct rec_edit_report *r,
                       struct t2_buf *text)
{
    t2_buf_printf(text, "'%s': %s%" PRIu64 " record%s %s", e->path, e->dry_run ? "would be: " : "",
                  r->n, r->n == 1 ? "" : "s", r->verb);
    if (r->split)
        t2_buf_printf(text, " to '%s'", r->split);
    t2_buf_printf(text, "; %" PRIu64 " before, %" PRIu64 " after", e->n_records,
                  records_after(e, r));
    if (r->n_new > 0)
        t2_buf_printf(text, "; %zu new shard%s", r->n_new, r->n_new == 1 ? "" : "s");
    if (r->n_renamed > 0)
        t2_buf_printf(text, ", %zu renamed", r->n_renamed);
    if (!r->split)
        t2_buf_printf(text, "; %zu of %zu shards rewritten", r->n_rewritten, n_shards(e));
    t2_buf_push(text, '\n');
}

enum t2_status rec_edit_print(const struct rec_edit *e, const struct rec_edit_report *r,
                              struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    struct t2_out *out = NULL;
    enum t2_status st;

    if (rec_edit_json)
        print_json(e, r, &text);
    else if (e)
        print_text(e, r, &text);
    st = t2_out_new("-", &out, err);
    if (st == T2_OK) {
        t2_show_out(t2_buf_slice(&text), rec_edit_json, out);
        st = t2_out_commit(out, err);
    }
    t2_buf_release(&text);
    return st;
}
