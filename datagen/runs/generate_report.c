/*
 * datagen/runs/generate_report.c - see the header.
 */
#include "datagen/runs/generate_report.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "datagen/fetch/fetch_files.h"
#include "datagen/runs/forecast.h"
#include "datagen/stream.h"
#include "datagen/vocabs/problem_vocab.h"

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

    t2_json_object(json);
    t2_json_kv_string(json, "problem", m->problem);
    t2_json_kv_string(json, "outcome", outcomes[r->outcome]);
    t2_json_kv_string(json, "manifest", r->manifest_path);
    for (size_t i = 0; i < DG_N_SPLITS; i++) {
        char *key = t2_asprintf("%s_records", dg_split_name((enum dg_split) i));
        t2_json_kv_u64(json, key, m->splits[i].n_records);
        t2_free(key);
    }
    if (m->has_inputs)
        t2_json_kv_i64(json, "input_vocab_size", m->inputs_vocab.size);
    t2_json_kv_i64(json, "target_vocab_size", m->targets_vocab.size);
    for (size_t i = 0; i < m->n_features; i++) {
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
                       struct dg_input_sizes *sizes, struct t2_err *first)
{
    struct dg_stream *stream = NULL;
    struct t2_err err = T2_ERR_INIT;

    if (p->describe)
        (void) p->describe(p, &g->options, split, sizes, &err);
    else if (p->open && p->open(p, &g->options, split, &stream, &err) == T2_OK)
        (void) dg_stream_describe(stream, sizes, &err);
    dg_stream_free(stream);
    if (first->status == T2_OK)
        *first = err;
}

static void plan_vocab(const struct dg_problem *p, const struct dg_generate *g,
                       enum dg_side_index side, struct t2_buf *text)
{
    const struct dg_vocab_spec *spec = dg_vocab_spec_of(p, side);
    char *file = dg_vocab_file_name(p, side);
    char *path = file ? t2_path_join(g->options.data_dir, file) : NULL;

    if (!dg_vocab_is_of_text(spec->kind)) {
        t2_buf_printf(text, "  vocabulary: none, %" PRId64 " %s\n", spec->approx_size,
                      dg_vocab_kind_name(spec->kind));
        return;
    }
    t2_buf_printf(text, "  vocabulary: %s, %s\n", file ? file : "UTF-8 bytes, no file",
                  !path              ? "258 ids"
                  : spec->ready_file ? "taken from the given file"
                  : t2_exists(path)  ? "exists and is used"
                  : spec->of_problem ? "that of another problem, built from its data"
                  : p->vocab.source  ? "made from a word list"
                                     : "built from the train split");
    t2_free(path);
    t2_free(file);
}

/* The places of the sources, or where they would be downloaded from.  Sources that a problem reads
 * unpacked may exist without their archive. */
static enum t2_status plan_sources(const struct dg_problem *p, const struct dg_generate *g,
                                   struct dg_fetch_plan **plan, struct dg_input_sizes *sizes,
                                   struct t2_err *err)
{
    size_t n = dg_source_count(p->sources);

    *plan = t2_alloc(n, sizeof **plan);
    if (n == 0)
        return T2_OK;
    T2_TRY(
        dg_fetch_make_plan(p->sources, n, g->options.tmp_dir, g->options.fetch, true, *plan, err));
    sizes->planned = p->sources;
    sizes->plan = *plan;
    sizes->n_planned = n;
    if (p->describe && !p->can_be_edited) /* it says it itself */
        return T2_OK;
    t2_buf_puts(&sizes->text, "  sources:\n");
    dg_fetch_plan_put(*plan, n, "    ", &sizes->text);
    return T2_OK;
}

/* The data of another problem, read for a vocabulary that is not there. */
static void plan_vocab_text(const struct dg_problem *p, const struct dg_generate *g,
                            enum dg_side_index side, struct dg_input_sizes *sizes)
{
    const struct dg_vocab_spec *spec = dg_vocab_spec_of(p, side);
    const struct dg_problem *owner = dg_vocab_owner(p, side);
    char *file = dg_vocab_file_name(p, side);
    char *path = file ? t2_path_join(g->options.data_dir, file) : NULL;
    struct t2_err ignored = T2_ERR_INIT;

    if (path && spec->of_problem && owner && owner != p && !spec->ready_file && !t2_exists(path) &&
        !owner->refusal) {
        t2_buf_printf(&sizes->text, "  vocabulary %s: text of '%s'\n", file, owner->name);
        sizes->for_vocab = true;
        plan_split(owner, g, DG_TRAIN, sizes, &ignored);
        sizes->for_vocab = false;
    }
    t2_free(path);
    t2_free(file);
}

enum t2_status dg_describe_inputs(const struct dg_problem *p, const struct dg_generate *g,
                                  struct dg_input_sizes *sizes, struct t2_err *err)
{
    struct t2_err first = T2_ERR_INIT;

    for (int split = 0; split < DG_N_SPLITS; split++) {
        int n = dg_n_shards(p, g, (enum dg_split) split);
        if (p->n_shards[split] == 0)
            continue;
        t2_buf_printf(&sizes->text, "  %s: %d shard%s from\n", dg_split_name((enum dg_split) split),
                      n, n == 1 ? "" : "s");
        plan_split(p, g, (enum dg_split) split, sizes, &first);
    }
    if (p->has_inputs && !p->shared_vocab)
        plan_vocab_text(p, g, DG_INPUTS, sizes);
    plan_vocab_text(p, g, DG_TARGETS, sizes);
    if (first.status != T2_OK)
        *err = first;
    return first.status;
}

static bool is_offline(const struct dg_generate *g)
{
    return g->options.fetch && g->options.fetch->offline;
}

/* A run with a manifest may have nothing to do; if it has, it says itself what is missing. */
static bool has_manifest(const struct dg_problem *p, const struct dg_generate *g)
{
    char *path = dg_manifest_path(g->options.data_dir, p->name);
    bool there = t2_exists(path);

    t2_free(path);
    return there;
}

void dg_missing_offline(const struct dg_problem *p, const struct dg_generate *g,
                        struct t2_strs *lines)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct dg_input_sizes sizes = {0};

    if (!is_offline(g) || p->refusal || has_manifest(p, g))
        return;
    ignored.status = dg_describe_inputs(p, g, &sizes, &ignored);
    for (size_t i = 0; i < sizes.absent.n; i++) {
        if (!t2_strs_contains(lines, sizes.absent.items[i]))
            t2_strs_push(lines, sizes.absent.items[i]);
    }
    dg_input_sizes_release(&sizes);
}

/* As a run would fail. */
static enum t2_status check_offline(const struct dg_problem *p, const struct dg_generate *g,
                                    const struct dg_input_sizes *sizes, struct t2_err *err)
{
    if (!is_offline(g) || has_manifest(p, g) || sizes->absent.n == 0)
        return T2_OK;
    for (size_t i = 1; i < sizes->absent.n; i++)
        t2_log(T2_LOG_ERROR, "--offline: %s", sizes->absent.items[i]);
    return t2_fail(err, T2_ENOTFOUND, "--offline: %s", sizes->absent.items[0]);
}

static void put_plan(const struct dg_problem *p, const struct dg_generate *g,
                     const struct dg_input_sizes *sizes, const struct dg_forecast *f,
                     struct t2_buf *text)
{
    char *manifest = dg_manifest_path(g->options.data_dir, p->name), human[32];
    struct t2_err ignored = T2_ERR_INIT;
    uint64_t free_bytes;

    t2_buf_printf(text, "%s: %s\n", p->name, p->summary);
    t2_buf_append(text, sizes->text.data, sizes->text.len_bytes);
    if (p->has_inputs && !p->shared_vocab)
        plan_vocab(p, g, DG_INPUTS, text);
    plan_vocab(p, g, DG_TARGETS, text);
    t2_buf_printf(text, "  shards: %s-<split>-NNNNN-of-MMMMM in '%s'", dg_problem_stem(p),
                  g->options.data_dir);
    if (t2_disk_free(g->options.data_dir, &free_bytes, &ignored) == T2_OK)
        t2_buf_printf(text, " (%s free)", t2_human_bytes(free_bytes, human, sizeof human));
    t2_buf_printf(text, "\n  manifest: %s.manifest.json%s\n  forecast: ", p->name,
                  t2_exists(manifest) ? ", exists" : "");
    dg_forecast_put(f, g, text);
    t2_buf_puts(text, "\n");
    t2_free(manifest);
}

static void put_json(const struct dg_problem *p, const struct dg_generate *g,
                     const struct dg_forecast *f, const struct t2_err *first, struct t2_buf *text)
{
    struct t2_err misfit = T2_ERR_INIT;
    struct dg_room room;
    struct t2_json json;

    dg_room_of(g, &room);
    t2_json_init(&json, text, 0);
    t2_json_object(&json);
    t2_json_kv_string(&json, "problem", p->name);
    dg_forecast_json(f, &json);
    t2_json_kv_u64(&json, "tmp_dir_free", room.tmp_bytes);
    t2_json_kv_u64(&json, "data_dir_free", room.data_bytes);
    t2_json_kv_bool(&json, "fits", dg_forecast_fits(f, g, &room, &misfit) == T2_OK);
    t2_json_key(&json, "missing");
    if (first->status != T2_OK)
        t2_json_string(&json, first->message);
    else
        t2_json_null(&json);
    t2_json_end_object(&json);
    t2_buf_push(text, '\n');
}

enum t2_status dg_describe_plan(const struct dg_problem *p, const struct dg_generate *g, bool json,
                                struct dg_forecast *sum, struct t2_buf *text, struct t2_err *err)
{
    struct dg_fetch_plan *plan = NULL;
    struct t2_err first = T2_ERR_INIT;
    struct dg_input_sizes sizes = {0};
    struct dg_forecast f;

    if (p->refusal)
        return t2_fail(err, T2_EUNSUPPORTED, "'%s': %s", p->name, p->refusal);
    first.status = plan_sources(p, g, &plan, &sizes, &first);
    if (first.status == T2_OK)
        first.status = dg_describe_inputs(p, g, &sizes, &first);
    if (first.status == T2_OK || first.status == T2_ENOTFOUND) {
        struct t2_err missing = T2_ERR_INIT;
        if (check_offline(p, g, &sizes, &missing) != T2_OK)
            first = missing;
    }
    f = dg_forecast_of(p, g, &sizes);
    dg_forecast_add(sum, &f);
    if (json)
        put_json(p, g, &f, &first, text);
    else
        put_plan(p, g, &sizes, &f, text);
    dg_fetch_plan_release(plan, sizes.n_planned);
    t2_free(plan);
    dg_input_sizes_release(&sizes);
    if (first.status != T2_OK)
        *err = first;
    return first.status;
}
