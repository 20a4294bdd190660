/*
 * datagen/data_card.c - a data card in Markdown or JSON.
 */
#include "datagen/data_card.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "datagen/fetch/fetch_files.h"
#include "datagen/shard_survey.h"

struct card {
    const struct dg_problem *p; /* NULL: not registered, text of somebody's own */
    struct dg_manifest *m;
    struct t2_json_doc *doc; /* all that the manifest says */
    struct t2_buf licence; /* of the problem, or of its sources, each text once; empty: not known */
    struct dg_survey splits[DG_N_SPLITS];
};

static const double shares[] = {0.5, 0.9, 0.99};
enum { N_SHARES = sizeof shares / sizeof *shares };
static const char *const share_names[N_SHARES] = {"p50", "p90", "p99"};

static const struct t2_json_value *said(const struct card *c, const char *key)
{
    return t2_json_get(t2_json_root(c->doc), key);
}

static const char *text_of(const struct t2_json_value *object, const char *key)
{
    return t2_json_as_string(t2_json_get(object, key), "");
}

static uint64_t number_of(const struct t2_json_value *object, const char *key)
{
    int64_t n = t2_json_as_i64(t2_json_get(object, key), 0);

    return n > 0 ? (uint64_t) n : 0;
}

static uint64_t split_bytes(const struct tfr_manifest_split *s)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s->n_shards; i++)
        n += s->shards[i].bytes;
    return n;
}

static void find_licence(struct card *c)
{
    if (c->p && c->p->licence)
        t2_buf_puts(&c->licence, c->p->licence);
    for (size_t i = 0; c->p && !c->p->licence && c->p->sources && c->p->sources[i]; i++) {
        const char *one = c->p->sources[i]->licence;
        if (one && !strstr(t2_buf_cstr(&c->licence), one))
            t2_buf_printf(&c->licence, "%s%s", c->licence.len_bytes ? "; " : "", one);
    }
}

/* ---- Markdown ---- */

/* A cell of a table: '|' would end it. */
static void cell(struct t2_buf *out, const char *text)
{
    t2_buf_puts(out, " ");
    for (; *text; text++) {
        if (*text == '|')
            t2_buf_push(out, '\\');
        t2_buf_push(out, (uint8_t) (*text == '\n' ? ' ' : *text));
    }
    t2_buf_puts(out, " |");
}

static void put_splits(const struct card *c, struct t2_buf *out)
{
    char human[32];

    t2_buf_puts(out, "| split | shards | records | bytes |\n| --- | ---: | ---: | ---: |\n");
    for (int i = 0; i < DG_N_SPLITS; i++) {
        const struct tfr_manifest_split *s = &c->m->splits[i];
        if (s->n_shards)
            t2_buf_printf(out, "| %s | %zu | %" PRIu64 " | %s |\n",
                          dg_split_name((enum dg_split) i), s->n_shards, c->splits[i].n_records,
                          t2_human_bytes(split_bytes(s), human, sizeof human));
    }
}

static void put_lengths(const struct card *c, struct t2_buf *out)
{
    t2_buf_puts(out, "\n## Lengths\n\nValues of a feature in a record, the end of text counted.\n\n"
                     "| split | feature | least | mean | median | 90 % | 99 % | most | in all |\n"
                     "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t split = 0; split < DG_N_SPLITS; split++) {
        for (size_t i = 0; i < c->splits[split].n_features; i++) {
            const struct dg_surveyed_feature *f = &c->splits[split].features[i];
            t2_buf_printf(out, "| %s |", dg_split_name((enum dg_split) split));
            cell(out, f->name);
            t2_buf_printf(out, " %" PRIu64 " | %.1f |", f->min_length,
                          (double) f->n_values / (double) f->n_records);
            for (size_t k = 0; k < N_SHARES; k++)
                t2_buf_printf(out, " %" PRIu64 " |", dg_survey_percentile(f, shares[k]));
            t2_buf_printf(out, " %" PRIu64 " | %" PRIu64 " |\n", f->max_length, f->n_values);
        }
    }
}

static void put_vocab(const char *what, const struct dg_vocab_info *v, struct t2_buf *out)
{
    t2_buf_printf(out, "- %s: %s, %" PRId64 " ids", what, dg_vocab_kind_name(v->kind), v->size);
    if (v->model)
        t2_buf_printf(out, " (%s)", v->model);
    if (v->file)
        t2_buf_printf(out, ", `%s`, SHA-256 `%s`", v->file, v->sha256);
    t2_buf_puts(out, "\n");
}

static void put_vocabs(const struct card *c, struct t2_buf *out)
{
    const struct dg_vocab_info *in = &c->m->inputs_vocab, *targets = &c->m->targets_vocab;
    bool shared = c->m->has_inputs && in->kind == targets->kind && in->size == targets->size &&
                  ((!in->file && !targets->file) ||
                   (in->file && targets->file && strcmp(in->file, targets->file) == 0));

    if (c->m->is_foreign)
        return;
    t2_buf_puts(out, "\n## Vocabulary\n\n");
    if (c->m->has_inputs && !shared)
        put_vocab("inputs", in, out);
    put_vocab(shared ? "inputs and targets" : "targets", targets, out);
}

static void put_drops(const struct card *c, struct t2_buf *out)
{
    const struct t2_json_value *reasons = t2_json_get(said(c, "dropped"), "reasons");

    t2_buf_puts(out, "\n## Left out\n\n");
    if (t2_json_size(reasons) == 0) {
        t2_buf_puts(out, "Nothing.\n");
        return;
    }
    t2_buf_puts(out, "| split | reason | samples | first | its text |\n"
                     "| --- | --- | ---: | --- | --- |\n");
    for (size_t i = 0; i < t2_json_size(reasons); i++) {
        const struct t2_json_value *r = t2_json_item(reasons, i);
        const struct t2_json_value *first = t2_json_item(t2_json_get(r, "first"), 0);
        char *place =
            t2_asprintf("%s, line %" PRIu64, text_of(first, "path"), number_of(first, "line"));
        t2_buf_puts(out, "|");
        cell(out, text_of(r, "split"));
        cell(out, text_of(r, "reason"));
        t2_buf_printf(out, " %" PRIu64 " |", number_of(r, "n"));
        cell(out, first ? place : "");
        cell(out, text_of(first, "text"));
        t2_buf_puts(out, "\n");
        t2_free(place);
    }
}

static void put_sources(const struct card *c, struct t2_buf *out)
{
    const struct t2_json_value *inputs = said(c, "inputs");

    t2_buf_puts(out, "\n## Sources\n\n");
    if (t2_json_size(inputs) == 0)
        t2_buf_puts(out, c->m->is_foreign ? "Not known: made by another program.\n"
                                          : "None: a program makes the samples.\n");
    else
        t2_buf_puts(out, "| split | role | file | lines | bytes | SHA-256 |\n"
                         "| --- | --- | --- | ---: | ---: | --- |\n");
    for (size_t i = 0; i < t2_json_size(inputs); i++) {
        const struct t2_json_value *f = t2_json_item(inputs, i);
        t2_buf_puts(out, "|");
        cell(out, text_of(f, "split"));
        cell(out, text_of(f, "role"));
        cell(out, text_of(f, "path"));
        t2_buf_printf(out, " %" PRIu64 " | %" PRIu64 " |", number_of(f, "lines"),
                      number_of(f, "bytes"));
        cell(out, text_of(f, "sha256"));
        t2_buf_puts(out, "\n");
    }
    t2_buf_printf(out, "\nLicence: %s\n",
                  c->licence.len_bytes
                      ? (const char *) c->licence.data
                      : "not stated; it is that of the sources, ask whoever made them");
}

static void put_markdown(const struct card *c, struct t2_buf *out)
{
    t2_buf_printf(out, "# %s\n\n", c->m->problem);
    if (c->p && c->p->summary)
        t2_buf_printf(out, "%s\n\n", c->p->summary);
    put_splits(c, out);
    put_lengths(c, out);
    put_vocabs(c, out);
    put_drops(c, out);
    put_sources(c, out);
    t2_buf_printf(out,
                  "\n## Made by\n\n    %s\n\nversion %s, seed %" PRIu64
                  "; SHA-256 of the data: `%s`\n",
                  c->m->command ? c->m->command : "?", c->m->version ? c->m->version : "?",
                  c->m->random_seed, c->m->data_sha256);
}

/* ---- JSON ---- */

static void json_feature(struct t2_json *j, const struct dg_surveyed_feature *f)
{
    t2_json_key(j, f->name);
    t2_json_object(j);
    t2_json_kv_u64(j, "records", f->n_records);
    t2_json_kv_u64(j, "values", f->n_values);
    t2_json_kv_u64(j, "min_length", f->min_length);
    for (size_t k = 0; k < N_SHARES; k++)
        t2_json_kv_u64(j, share_names[k], dg_survey_percentile(f, shares[k]));
    t2_json_kv_u64(j, "max_length", f->max_length);
    t2_json_end_object(j);
}

static void json_vocab(struct t2_json *j, const char *key, const struct dg_vocab_info *v)
{
    t2_json_key(j, key);
    t2_json_object(j);
    t2_json_kv_string(j, "kind", dg_vocab_kind_name(v->kind));
    t2_json_kv_i64(j, "size", v->size);
    if (v->file) {
        t2_json_kv_string(j, "file", v->file);
        t2_json_kv_string(j, "sha256", v->sha256);
    }
    t2_json_end_object(j);
}

static void json_splits(const struct card *c, struct t2_json *j)
{
    t2_json_key(j, "splits");
    t2_json_object(j);
    for (size_t split = 0; split < DG_N_SPLITS; split++) {
        const struct dg_survey *s = &c->splits[split];
        if (c->m->splits[split].n_shards == 0)
            continue;
        t2_json_key(j, dg_split_name((enum dg_split) split));
        t2_json_object(j);
        t2_json_kv_u64(j, "shards", c->m->splits[split].n_shards);
        t2_json_kv_u64(j, "records", s->n_records);
        t2_json_kv_u64(j, "bytes", split_bytes(&c->m->splits[split]));
        t2_json_key(j, "features");
        t2_json_object(j);
        for (size_t i = 0; i < s->n_features; i++)
            json_feature(j, &s->features[i]);
        t2_json_end_object(j);
        t2_json_end_object(j);
    }
    t2_json_end_object(j);
}

static void put_json(const struct card *c, struct t2_buf *out)
{
    struct t2_json j;

    t2_json_init(&j, out, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "problem", c->m->problem);
    t2_json_key(&j, "summary");
    if (c->p && c->p->summary)
        t2_json_string(&j, c->p->summary);
    else
        t2_json_null(&j);
    t2_json_key(&j, "licence");
    if (c->licence.len_bytes)
        t2_json_bytes(&j, c->licence.data, c->licence.len_bytes);
    else
        t2_json_null(&j);
    json_splits(c, &j);
    if (!c->m->is_foreign) {
        t2_json_key(&j, "vocabularies");
        t2_json_object(&j);
        if (c->m->has_inputs)
            json_vocab(&j, "inputs", &c->m->inputs_vocab);
        json_vocab(&j, "targets", &c->m->targets_vocab);
        t2_json_end_object(&j);
    }
    t2_json_kv_u64(&j, "dropped", c->m->n_dropped);
    t2_json_kv_u64(&j, "sources", t2_json_size(said(c, "inputs")));
    t2_json_kv_string(&j, "data_sha256", c->m->data_sha256);
    t2_json_end_object(&j);
    t2_buf_push(out, '\n');
}

/* ---- all together ---- */

static enum t2_status fill(struct card *c, const char *path, const char *data_dir,
                           struct t2_pool *pool, struct t2_err *err)
{
    T2_TRY(dg_manifest_load(path, &c->m, err));
    T2_TRY(t2_json_load(path, &c->doc, err));
    for (int i = 0; i < DG_N_SPLITS; i++) {
        T2_TRY(dg_survey_split(&c->m->splits[i], data_dir, false, pool, &c->splits[i], err));
        if (c->splits[i].errors.n)
            return t2_fail(err, T2_EFORMAT, "%s", c->splits[i].errors.items[0]);
    }
    return T2_OK;
}

enum t2_status dg_data_card(const char *name, const char *data_dir, bool json, struct t2_pool *pool,
                            struct t2_buf *out, struct t2_err *err)
{
    struct card c = {0};
    bool was_reversed, was_copy;
    enum t2_status st;
    char *base, *path;

    dg_parse_name(name, &base, &was_reversed, &was_copy);
    path = dg_manifest_path(data_dir, base);
    c.p = dg_find(base);
    find_licence(&c);
    st = fill(&c, path, data_dir, pool, err);
    if (st == T2_OK && json)
        put_json(&c, out);
    else if (st == T2_OK)
        put_markdown(&c, out);
    for (int i = 0; i < DG_N_SPLITS; i++)
        dg_survey_release(&c.splits[i]);
    t2_json_free(c.doc);
    t2_buf_release(&c.licence);
    dg_manifest_free(c.m);
    t2_free(path);
    t2_free(base);
    return st;
}
