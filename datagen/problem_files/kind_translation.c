/*
 * datagen/problem_files/kind_translation.c - kind: translation, parallel text in archives
 * (problems/translate.h).
 */
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "datagen/problem_files/problem_kinds.h"
#include "datagen/problems/translate.h"

enum { MAX_PARALLEL_SOURCES = 1000, MAX_SYNTHETIC = 1000 };

/* ---- one source
 * ------------------------------------------------------------------------------ */

/* What a mapping of train or dev says. */
struct entry {
    const struct dg_file_source *from;
    const char *format;
    const struct t2_json_value *members, *columns;
    bool is_optional;
};

static enum t2_status read_entry(const struct dg_file_context *c, const struct dg_file_value *v,
                                 struct entry *e, struct t2_err *err)
{
    if (t2_json_type(v->json) != T2_JSON_OBJECT)
        return dg_value_wrong(v, "a list of mappings with from", err);
    for (size_t i = 0; i < t2_json_size(v->json); i++) {
        struct dg_file_value item = *v;
        const char *key = t2_json_member(v->json, i, &item.json);

        item.key = dg_file_keep(c->memory, t2_asprintf("%s.%s", v->key, key));
        if (strcmp(key, "from") == 0)
            T2_TRY(dg_file_find(c->files, &item, &e->from, err));
        else if (strcmp(key, "format") == 0)
            T2_TRY(dg_value_string(&item, &e->format, err));
        else if (strcmp(key, "optional") == 0)
            T2_TRY(dg_value_flag(&item, &e->is_optional, err));
        else if (strcmp(key, "members") == 0)
            e->members = item.json;
        else if (strcmp(key, "columns") == 0)
            e->columns = item.json;
        else
            return t2_fail(err, T2_EFORMAT,
                           "'%s': %s is not known; there are from, format, members, columns, "
                           "optional",
                           c->path, item.key);
    }
    return e->from ? T2_OK : dg_value_wrong(v, "a list of mappings with from", err);
}

/* The lists that each format has in place of members and columns. */
static enum t2_status check_format(const struct dg_file_value *v, const struct entry *e,
                                   enum dg_parallel_kind *kind, struct t2_err *err)
{
    static const char *const formats[] = {"pair", "sgm", "tsv", "tmx"};
    static const enum dg_parallel_kind kinds[] = {DG_PARALLEL_PAIR, DG_PARALLEL_SGM,
                                                  DG_PARALLEL_TSV, DG_PARALLEL_TMX};
    const char *format = e->format ? e->format : "pair";
    size_t i = 0;

    while (i < 4 && strcmp(format, formats[i]) != 0)
        i++;
    if (i == 4)
        return t2_fail(err, T2_EFORMAT, "'%s': %s.format must be pair, sgm, tsv or tmx", v->path,
                       v->key);
    *kind = kinds[i];
    if ((e->members != NULL) == (*kind == DG_PARALLEL_TMX))
        return t2_fail(err, T2_EFORMAT, "'%s': %s: format %s has %s members", v->path, v->key,
                       format, e->members ? "no" : "to have");
    if ((e->columns != NULL) != (*kind == DG_PARALLEL_TSV))
        return t2_fail(err, T2_EFORMAT, "'%s': %s: format %s has %s columns", v->path, v->key,
                       format, e->columns ? "no" : "to have");
    return T2_OK;
}

static enum t2_status read_columns(const struct dg_file_value *v, struct dg_parallel_source *s,
                                   struct t2_err *err)
{
    int *const to[2] = {&s->column1, &s->column2};

    for (size_t i = 0; i < 2; i++) {
        int64_t column = t2_json_as_i64(t2_json_item(v->json, i), 0);
        if (t2_json_size(v->json) != 2 || column < 1 || column > 1000000)
            return dg_value_wrong(v, "two numbers, from 1", err);
        *to[i] = (int) column - 1;
    }
    return T2_OK;
}

static enum t2_status read_source(const struct dg_file_context *c, const struct dg_file_value *v,
                                  struct dg_parallel_source *s, struct t2_err *err)
{
    struct entry e = {0};
    struct dg_file_value members, columns;
    const char *pair[2] = {NULL, NULL};

    T2_TRY(read_entry(c, v, &e, err));
    T2_TRY(check_format(v, &e, &s->kind, err));
    s->file = &e.from->file;
    s->is_optional = e.is_optional;
    members =
        dg_kind_value(c, dg_file_keep(c->memory, t2_asprintf("%s.members", v->key)), e.members);
    columns =
        dg_kind_value(c, dg_file_keep(c->memory, t2_asprintf("%s.columns", v->key)), e.columns);
    if (s->kind == DG_PARALLEL_TSV) {
        T2_TRY(dg_value_string(&members, &s->lang1, err));
        return read_columns(&columns, s, err);
    }
    if (s->kind == DG_PARALLEL_TMX)
        return T2_OK;
    T2_TRY(dg_value_pair(&members, pair, err));
    s->lang1 = pair[0];
    s->lang2 = pair[1];
    return T2_OK;
}

/* *list ends with a source without file. */
static enum t2_status read_sources(const struct dg_file_context *c, const char *key,
                                   const struct t2_json_value *json,
                                   const struct dg_parallel_source **list, struct t2_err *err)
{
    struct dg_file_value v = dg_kind_value(c, key, json);
    size_t n = t2_json_size(json);
    struct dg_parallel_source *items;

    if (t2_json_type(json) != T2_JSON_ARRAY || n == 0 || n > MAX_PARALLEL_SOURCES)
        return dg_value_wrong(&v, "a list of mappings with from", err);
    items = dg_file_alloc(c->memory, n + 1, sizeof *items);
    for (size_t i = 0; i < n; i++) {
        v.json = t2_json_item(json, i);
        T2_TRY(read_source(c, &v, &items[i], err));
    }
    *list = items;
    return T2_OK;
}

/* ---- the problem
 * ----------------------------------------------------------------------------- */

static enum t2_status read_synthetic(const struct dg_file_context *c, const struct dg_draft *d,
                                     struct dg_translate *t, struct t2_err *err)
{
    struct dg_file_value v = dg_kind_value(c, "synthetic", d->synthetic);
    size_t n = t2_json_size(d->synthetic);
    const char *(*pairs)[2];

    if (!d->synthetic)
        return T2_OK;
    if (t2_json_type(d->synthetic) != T2_JSON_ARRAY || n == 0 || n > MAX_SYNTHETIC)
        return dg_value_wrong(&v, "a list of pairs of files", err);
    pairs = dg_file_alloc(c->memory, n + 1, sizeof *pairs);
    for (size_t i = 0; i < n; i++) {
        v.json = t2_json_item(d->synthetic, i);
        T2_TRY(dg_value_pair(&v, pairs[i], err));
    }
    t->synthetic = (const char *const(*)[2]) pairs;
    return T2_OK;
}

static enum t2_status read_vocabs(const struct dg_file_context *c, const struct dg_draft *d,
                                  struct dg_problem *p, struct t2_err *err)
{
    const int64_t sizes[DG_N_SIDES] = {d->own.source_vocab_size, d->own.target_vocab_size};
    struct dg_vocab_spec *const specs[DG_N_SIDES] = {&p->inputs_vocab, &p->targets_vocab};
    struct dg_file_value v = dg_kind_value(c, "source_vocab_size and target_vocab_size", NULL);

    p->shared_vocab = sizes[DG_INPUTS] == 0 && sizes[DG_TARGETS] == 0;
    if (p->shared_vocab)
        return dg_kind_vocab(c, d, &p->targets_vocab, err);
    for (int side = 0; side < DG_N_SIDES; side++) {
        if (sizes[side] == 0 || d->own.vocab_size || d->own.vocab_type)
            return dg_value_wrong(&v, "given both, without vocab_size and vocab_type", err);
        specs[side]->kind = DG_VOCAB_SUBWORDS;
        specs[side]->approx_size = sizes[side];
        specs[side]->file = d->side_vocab_file[side];
    }
    return T2_OK;
}

static void list_files(const struct dg_file_context *c, const struct dg_translate *t,
                       struct dg_problem *p)
{
    const struct dg_parallel_source *const tables[] = {t->train, t->dev};
    struct dg_kind_files files = {0};

    files.items = dg_file_alloc(c->memory, c->files->n + 1, sizeof *files.items);
    for (size_t i = 0; i < 2; i++) {
        for (const struct dg_parallel_source *s = tables[i]; s->file; s++)
            dg_kind_add_file(&files, s->file);
    }
    p->sources = files.items;
}

enum t2_status dg_kind_translation(const struct dg_file_context *c, const struct dg_draft *d,
                                   struct dg_problem *p, struct t2_err *err)
{
    struct dg_translate *t = dg_file_alloc(c->memory, 1, sizeof *t);
    struct dg_file_value v = dg_kind_value(c, "expected_pairs", NULL);

    T2_TRY(dg_kind_common(c, d, p, err));
    T2_TRY(read_sources(c, "train", d->splits[DG_TRAIN], &t->train, err));
    T2_TRY(read_sources(c, "dev", d->splits[DG_DEV], &t->dev, err));
    T2_TRY(read_synthetic(c, d, t, err));
    T2_TRY(read_vocabs(c, d, p, err));
    if ((d->sampled_pairs == 0) != (d->expected_pairs == 0))
        return dg_value_wrong(&v, "given with sampled_pairs", err);
    t->compiled = d->compiled;
    t->vocab_budget = (uint64_t) d->vocab_budget;
    t->clean_text = d->clean_text;
    t->clean_tmx = d->clean_tmx;
    t->n_sampled = (uint64_t) d->sampled_pairs;
    t->n_expected = (uint64_t) d->expected_pairs;
    list_files(c, t, p);
    p->prepare = dg_translate_prepare;
    p->open = dg_translate_open;
    p->vocab.open_text = dg_translate_open_vocab_text;
    p->sharding.before_shuffle = t->n_sampled ? dg_translate_before_shuffle : NULL;
    p->context = t;
    return T2_OK;
}
