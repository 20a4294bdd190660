/*
 * datagen/runs/problem_describe.c - what a problem is made from and what it becomes.
 */
#include "datagen/runs/problem_describe.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "datagen/fetch/fetch_files.h"
#include "datagen/problem_registry.h"
#include "datagen/vocabs/problem_vocab.h"

static const char *family_title(const struct dg_problem *p)
{
    const struct dg_family *f = dg_family_of(p);

    return f ? f->title : "Problems of your own";
}

/* ---- sources ---- */

/* The places of the sources; n entries, owned by the caller.  NULL: there are none, or nothing is
 * known of them. */
static struct dg_fetch_plan *find_sources(const struct dg_problem *p, const struct dg_generate *g,
                                          size_t *n)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct dg_fetch_plan *plan;

    *n = p->sources ? dg_source_count(p->sources) : 0;
    if (*n == 0)
        return NULL;
    plan = t2_alloc(*n, sizeof *plan);
    if (dg_fetch_make_plan(p->sources, *n, g->options.tmp_dir, g->options.fetch, false, plan,
                           &ignored) == T2_OK)
        return plan;
    dg_fetch_plan_release(plan, *n);
    t2_free(plan);
    *n = 0;
    return NULL;
}

static void describe_source(const struct dg_source_file *f, const struct dg_fetch_plan *plan,
                            struct t2_buf *text)
{
    char human[32];

    t2_buf_printf(text, "    %s", t2_path_base(plan->path));
    if (plan->size_bytes)
        t2_buf_printf(text, ", %s", t2_human_bytes(plan->size_bytes, human, sizeof human));
    if (plan->how != DG_FETCH_ABSENT)
        t2_buf_printf(text, ": there, '%s'\n", plan->path);
    else if (f->gone)
        t2_buf_printf(text, ": not there; %s ('%s')\n", f->gone, plan->path);
    else
        t2_buf_printf(text, ": not there; %s\n", plan->url ? plan->url : "no address is known");
    if (f->licence)
        t2_buf_printf(text, "      licence: %s\n", f->licence);
}

/* ---- fields ---- */

static const char *side_kind(const struct dg_problem *p, enum dg_side_index side)
{
    enum dg_vocab_kind kind = dg_vocab_spec_of(p, side)->kind;

    return kind == DG_VOCAB_REALS ? "float" : "int64";
}

static void add_packed(struct t2_strs *fields, const char *side)
{
    t2_strs_take(fields, t2_asprintf("%s_segmentation int64", side));
    t2_strs_take(fields, t2_asprintf("%s_position int64", side));
}

/* "inputs int64" ... */
static void list_fields(const struct dg_problem *p, struct t2_strs *fields)
{
    if ((p->has_inputs && !p->record.replaces_sides) || p->packing.length)
        t2_strs_take(fields, t2_asprintf("inputs %s", side_kind(p, DG_INPUTS)));
    if (!p->record.replaces_sides)
        t2_strs_take(fields, t2_asprintf("targets %s", side_kind(p, DG_TARGETS)));
    if (p->text.context == DG_CONTEXT_FEATURE && !p->packing.length)
        t2_strs_push(fields, "context int64");
    if (p->packing.length) {
        if (p->has_inputs)
            add_packed(fields, "inputs");
        add_packed(fields, "targets");
    }
    for (size_t i = 0; p->record.more_fields && p->record.more_fields[i] && !p->packing.length; i++)
        t2_strs_push(fields, p->record.more_fields[i]);
}

/* ---- vocabularies and shards ---- */

static bool has_vocab(const struct dg_problem *p, int side)
{
    return side == DG_TARGETS || (p->has_inputs && !p->shared_vocab);
}

static void describe_vocab(const struct dg_problem *p, const struct dg_generate *g,
                           enum dg_side_index side, struct t2_buf *text)
{
    const struct dg_vocab_spec *spec = dg_vocab_spec_of(p, side);
    char *file = dg_vocab_file_name(p, side);
    char *path = file ? t2_path_join(g->options.data_dir, file) : NULL;

    t2_buf_printf(text, "  vocabulary%s: ",
                  p->shared_vocab || !p->has_inputs ? ""
                  : side == DG_INPUTS               ? " of inputs"
                                                    : " of targets");
    if (spec->kind == DG_VOCAB_BYTES)
        t2_buf_puts(text, "the bytes of UTF-8, no file");
    else if (!file)
        t2_buf_printf(text, "none, %" PRId64 " %s", spec->approx_size,
                      dg_vocab_kind_name(spec->kind));
    else
        t2_buf_printf(text, "%s", file);
    if (file && spec->kind == DG_VOCAB_SUBWORDS)
        t2_buf_printf(text, ", about %" PRId64 " subwords", spec->approx_size);
    if (file && spec->of_problem)
        t2_buf_printf(text, ", that of %s", spec->of_problem);
    if (path && t2_exists(path))
        t2_buf_puts(text, ", exists");
    t2_buf_push(text, '\n');
    t2_free(path);
    t2_free(file);
}

static void describe_shards(const struct dg_problem *p, const struct dg_generate *g,
                            struct t2_buf *text)
{
    for (int split = 0; split < DG_N_SPLITS; split++) {
        int n = dg_n_shards(p, g, (enum dg_split) split);
        if (n)
            t2_buf_printf(text, "  %s: %s-%s-NNNNN-of-%05d\n", dg_split_name((enum dg_split) split),
                          dg_problem_stem(p), dg_split_name((enum dg_split) split), n);
    }
}

static void describe_making(const struct dg_problem *p, const struct dg_generate *g,
                            struct t2_buf *text)
{
    struct t2_strs fields = {0};

    list_fields(p, &fields);
    t2_buf_puts(text, "  fields: ");
    for (size_t i = 0; i < fields.n; i++)
        t2_buf_printf(text, "%s%s", i ? ", " : "", fields.items[i]);
    t2_buf_push(text, '\n');
    t2_strs_release(&fields);
    if (p->packing.length)
        t2_buf_printf(text, "  packed: several texts in a record of %d ids\n", p->packing.length);
    if (p->chopping.length)
        t2_buf_printf(text, "  cut: all text into records of %d ids\n", p->chopping.length);
    if (has_vocab(p, DG_INPUTS))
        describe_vocab(p, g, DG_INPUTS, text);
    describe_vocab(p, g, DG_TARGETS, text);
    describe_shards(p, g, text);
}

void dg_problem_describe(const struct dg_problem *p, const struct dg_generate *g,
                         struct t2_buf *text)
{
    size_t n;
    struct dg_fetch_plan *plan;

    t2_buf_printf(text, "%s: %s\n  family: %s\n", p->name, p->summary, family_title(p));
    if (p->refusal) {
        t2_buf_printf(text, "  not made here: %s\n", p->refusal);
        return;
    }
    if (p->members) {
        t2_buf_puts(text, "  members:");
        for (size_t i = 0; p->members[i]; i++)
            t2_buf_printf(text, " %s", p->members[i]);
        t2_buf_push(text, '\n');
        return;
    }
    plan = find_sources(p, g, &n);
    if (n)
        t2_buf_puts(text, "  sources:\n");
    for (size_t i = 0; i < n; i++)
        describe_source(p->sources[i], &plan[i], text);
    dg_fetch_plan_release(plan, n);
    t2_free(plan);
    if (p->licence)
        t2_buf_printf(text, "  licence: %s\n", p->licence);
    describe_making(p, g, text);
}

/* ---- JSON ---- */

static void kv_or_null(struct t2_json *json, const char *key, const char *value)
{
    t2_json_key(json, key);
    if (value)
        t2_json_string(json, value);
    else
        t2_json_null(json);
}

static void json_sources(const struct dg_problem *p, const struct dg_generate *g,
                         struct t2_json *json)
{
    size_t n;
    struct dg_fetch_plan *plan = find_sources(p, g, &n);

    t2_json_key(json, "sources");
    t2_json_array(json);
    for (size_t i = 0; i < n; i++) {
        const struct dg_source_file *f = p->sources[i];
        t2_json_object(json);
        t2_json_kv_string(json, "file", t2_path_base(plan[i].path));
        kv_or_null(json, "url", f->urls && !f->gone ? f->urls[0] : NULL);
        t2_json_kv_u64(json, "bytes", plan[i].size_bytes);
        kv_or_null(json, "sha256", f->sha256);
        kv_or_null(json, "licence", f->licence);
        kv_or_null(json, "gone", f->gone);
        t2_json_kv_bool(json, "there", plan[i].how != DG_FETCH_ABSENT);
        t2_json_kv_string(json, "path", plan[i].path);
        t2_json_end_object(json);
    }
    t2_json_end_array(json);
    dg_fetch_plan_release(plan, n);
    t2_free(plan);
}

static void json_vocab(const struct dg_problem *p, enum dg_side_index side, struct t2_json *json)
{
    const struct dg_vocab_spec *spec = dg_vocab_spec_of(p, side);
    char *file = dg_vocab_file_name(p, side);

    t2_json_key(json, side == DG_INPUTS ? "inputs_vocab" : "targets_vocab");
    t2_json_object(json);
    t2_json_kv_string(json, "kind", dg_vocab_kind_name(spec->kind));
    kv_or_null(json, "file", file);
    t2_json_kv_i64(json, "approx_size", spec->approx_size);
    kv_or_null(json, "of_problem", spec->of_problem);
    t2_json_end_object(json);
    t2_free(file);
}

static void json_list(struct t2_json *json, const char *key, const char *const *items)
{
    t2_json_key(json, key);
    t2_json_array(json);
    for (; items && *items; items++)
        t2_json_string(json, *items);
    t2_json_end_array(json);
}

static void json_shards(const struct dg_problem *p, const struct dg_generate *g,
                        struct t2_json *json)
{
    t2_json_key(json, "shards");
    t2_json_object(json);
    for (int split = 0; split < DG_N_SPLITS; split++)
        t2_json_kv_i64(json, dg_split_name((enum dg_split) split),
                       dg_n_shards(p, g, (enum dg_split) split));
    t2_json_end_object(json);
}

void dg_problem_describe_json(const struct dg_problem *p, const struct dg_generate *g,
                              struct t2_json *json)
{
    struct t2_strs fields = {0};

    t2_json_object(json);
    t2_json_kv_string(json, "problem", p->name);
    t2_json_kv_string(json, "summary", p->summary);
    t2_json_kv_string(json, "family", family_title(p));
    kv_or_null(json, "refusal", p->refusal);
    json_list(json, "members", p->members);
    if (!p->refusal && !p->members) {
        json_sources(p, g, json);
        list_fields(p, &fields);
        t2_json_key(json, "fields");
        t2_json_array(json);
        for (size_t i = 0; i < fields.n; i++)
            t2_json_string(json, fields.items[i]);
        t2_json_end_array(json);
        t2_strs_release(&fields);
        if (has_vocab(p, DG_INPUTS))
            json_vocab(p, DG_INPUTS, json);
        json_vocab(p, DG_TARGETS, json);
        t2_json_kv_string(json, "dataset_filename", dg_problem_stem(p));
        json_shards(p, g, json);
    }
    t2_json_end_object(json);
}

/* ---- the list ---- */

enum { NAME_COLUMN = 52 };

static void list_problem(const struct dg_problem *p, struct t2_buf *text)
{
    t2_buf_printf(text, "  * %-*s %s%s\n", NAME_COLUMN, p->name, p->summary,
                  p->refusal ? " (not made here)" : "");
}

void dg_list_families(const struct t2_strs *names, struct t2_buf *text)
{
    struct t2_strs listed = {0};
    const struct dg_family *f;

    for (size_t i = 0; (f = dg_family_at(i)) != NULL; i++) {
        bool is_first = true;
        for (size_t k = 0; k < f->n; k++) {
            if (!t2_strs_contains(names, f->problems[k].name))
                continue;
            if (is_first)
                t2_buf_printf(text, "%s:\n", f->title);
            is_first = false;
            list_problem(&f->problems[k], text);
            t2_strs_push(&listed, f->problems[k].name);
        }
    }
    if (listed.n < names->n)
        t2_buf_puts(text, "Problems of your own:\n");
    for (size_t i = 0; i < names->n; i++) {
        if (!t2_strs_contains(&listed, names->items[i]))
            list_problem(dg_find(names->items[i]), text);
    }
    t2_strs_release(&listed);
}
