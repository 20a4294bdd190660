/*
 * datagen/generate_report.c - telling about a run: before (--dry_run) and after it (--json).
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "datagen/fetch/fetch_files.h"
#include "datagen/forecast.h"
#include "datagen/generate.h"
#include "datagen/problem_vocab.h"
#include "datagen/stream.h"

void dg_report_release(struct dg_report *r)
{
    dg_manifest_free(r->manifest);
    t2_free(r->manifest_path);
    memset(r, 0, sizeof *r);
}

void dg_report_json(const struct dg_report *r, struct t2_json *json)
{
    static const char *const outcomes[] = {"made", "continued", "was_complete"};
    const struct dg_manifest *m = r->manifest;
    size_t i;

    t2_json_object(json);
    t2_json_kv_string(json, "problem", m->problem);
    t2_json_kv_string(json, "outcome", outcomes[r->outcome]);
    t2_json_kv_string(json, "manifest", r->manifest_path);
    for (i = 0; i < DG_N_SPLITS; ++i) {
        char *key = t2_asprintf("%s_records", dg_split_name((enum dg_split) i));
        t2_json_kv_u64(json, key, m->splits[i].n_records);
        t2_free(key);
    }
    if (m->has_inputs)
        t2_json_kv_i64(json, "input_vocab_size", m->inputs_vocab.size);
    t2_json_kv_i64(json, "target_vocab_size", m->targets_vocab.size);
    for (i = 0; i < m->n_features; ++i) {
        char *key = t2_asprintf("%s_tokens", m->features[i].name);
        t2_json_kv_u64(json, key, m->features[i].n_values);
        t2_free(key);
    }
    t2_json_kv_u64(json, "dropped", m->n_dropped);
    t2_json_kv_string(json, "data_sha256", m->data_sha256);
    t2_json_key(json, "seconds");
    t2_json_float9(json, r->seconds);
    t2_json_end_object(json);
}

static void plan_split(const struct dg_problem *p, const struct dg_generate *g, enum dg_split split,
                       struct t2_buf *text, struct t2_err *first)
{
    struct dg_stream *stream = NULL;
    struct t2_err err = T2_ERR_INIT;
    int n = dg_n_shards(p, g, split);

    t2_buf_printf(text, "  %s: %d shard%s from\n", dg_split_name(split), n, n == 1 ? "" : "s");
    if (p->describe)
        (void) p->describe(p, &g->options, split, text, &err);
    else if (p->open(p, &g->options, split, &stream, &err) == T2_OK)
        (void) dg_stream_describe(stream, text, &err);
    dg_stream_free(stream);
    if (first->status == T2_OK)
        *first = err;
}

static void plan_vocab(const struct dg_problem *p, const struct dg_generate *g,
                       enum dg_side_index side, struct t2_buf *text)
{
    const struct dg_vocab_wish *wish = dg_vocab_wish_of(p, side);
    char *file = dg_vocab_file_name(p, side);
    char *path = file ? t2_path_join(g->options.data_dir, file) : NULL;

    if (!dg_vocab_is_of_text(wish->kind)) {
        t2_buf_printf(text, "  vocabulary: none, %" PRId64 " %s\n", wish->approx_size,
                      dg_vocab_kind_name(wish->kind));
        return;
    }
    t2_buf_printf(text, "  vocabulary: %s, %s\n", file ? file : "UTF-8 bytes, no file",
                  !path              ? "258 ids"
                  : wish->ready_file ? "taken from the given file"
                  : t2_exists(path)  ? "exists and is used"
                  : wish->of_problem ? "that of another problem, built from its data"
                  : p->vocab_source  ? "made from a word list"
                                     : "built from the train split");
    t2_free(path);
    t2_free(file);
}

/* Where the sources are or would come from, unless the problem says it itself.  What a problem takes unpacked may be there all the same. */
static enum t2_status plan_sources(const struct dg_problem *p, const struct dg_generate *g,
                                   struct t2_buf *text, struct t2_err *err)
{
    size_t n = p->describe ? 0 : dg_source_count(p->sources);
    struct dg_fetch_plan *plan = t2_alloc(n, sizeof *plan);
    enum t2_status st = T2_OK;

    if (n > 0)
        st = dg_fetch_make_plan(p->sources, n, g->options.tmp_dir, g->options.fetch, true, plan,
                                err);
    if (st == T2_OK && n > 0) {
        t2_buf_puts(text, "  sources:\n");
        dg_fetch_plan_put(plan, n, "    ", text);
    }
    dg_fetch_plan_release(plan, n);
    t2_free(plan);
    return st;
}

enum t2_status dg_describe_inputs(const struct dg_problem *p, const struct dg_generate *g,
                                  struct t2_buf *text, struct t2_err *err)
{
    struct t2_err first = T2_ERR_INIT;
    int split;

    for (split = 0; split < DG_N_SPLITS; ++split) {
        if (p->n_shards[split])
            plan_split(p, g, (enum dg_split) split, text, &first);
    }
    if (first.status != T2_OK)
        *err = first;
    return first.status;
}

enum t2_status dg_describe_plan(const struct dg_problem *p, const struct dg_generate *g,
                                struct t2_buf *text, struct t2_err *err)
{
    char *manifest = dg_manifest_path(g->options.data_dir, p->name);
    struct t2_err first = T2_ERR_INIT, ignored = T2_ERR_INIT;
    uint64_t free_bytes;
    struct dg_forecast forecast;
    size_t inputs_at;
    char human[32];

    if (p->refusal)
        return t2_fail(err, T2_EUNSUPPORTED, "'%s': %s", p->name, p->refusal);
    t2_buf_printf(text, "%s: %s\n", p->name, p->summary);
    T2_TRY(plan_sources(p, g, text, err));
    inputs_at = text->len_bytes;
    first.status = dg_describe_inputs(p, g, text, &first);
    forecast = dg_forecast_of(p, g, t2_buf_cstr(text) + inputs_at);
    if (p->has_inputs && !p->shared_vocab)
        plan_vocab(p, g, DG_INPUTS, text);
    plan_vocab(p, g, DG_TARGETS, text);
    t2_buf_printf(text, "  shards: %s-<split>-NNNNN-of-MMMMM in '%s'", dg_problem_stem(p),
                  g->options.data_dir);
    if (t2_disk_free(g->options.data_dir, &free_bytes, &ignored) == T2_OK)
        t2_buf_printf(text, " (%s free)", t2_human_bytes(free_bytes, human, sizeof human));
    t2_buf_printf(text, "\n  manifest: %s.manifest.json%s\n", p->name,
                  t2_exists(manifest) ? ", exists" : "");
    dg_forecast_tell(&forecast, text);
    t2_free(manifest);
    if (first.status != T2_OK)
        *err = first;
    return first.status;
}
