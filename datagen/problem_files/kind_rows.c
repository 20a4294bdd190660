/*
 * datagen/problem_files/kind_rows.c - kind: rows, labelled texts in the columns of TSV files
 * (problems/class_rows.h).
 */
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "datagen/problem_files/problem_kinds.h"
#include "datagen/problems/class_rows.h"

enum { MAX_COLUMNS = 1000000, MAX_CLASSES = 100000 };

/* ---- columns
 * --------------------------------------------------------------------------------- */

/* A number from 1 becomes one from 0. */
static enum t2_status read_column(const struct dg_file_value *v, int *column, struct t2_err *err)
{
    int64_t number = t2_json_as_i64(v->json, 0);

    if (number < 1 || number > MAX_COLUMNS)
        return dg_value_wrong(v, "the number of a column, from 1", err);
    *column = (int) number - 1;
    return T2_OK;
}

static enum t2_status read_columns_key(const struct dg_file_value *v, const char *key,
                                       struct dg_rows *r, struct t2_err *err)
{
    const char *text = t2_json_as_string(v->json, "");

    if (strcmp(key, "count") == 0)
        return read_column(v, &r->n_columns, err);
    if (strcmp(key, "more") == 0)
        return dg_value_flag(v, &r->more_columns, err);
    if (strcmp(key, "first") == 0)
        return read_column(v, &r->first, err);
    if (strcmp(key, "second") == 0)
        return read_column(v, &r->second, err);
    if (strcmp(key, "keys") == 0)
        return read_column(v, &r->keys, err);
    if (strcmp(key, "label") == 0 && strcmp(text, "last") != 0)
        return read_column(v, &r->label, err);
    if (strcmp(key, "label") == 0)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT,
                   "'%s': %s is not known; there are count, more, first, second, label, keys",
                   v->path, v->key);
}

static enum t2_status read_columns(const struct dg_file_context *c, const struct dg_draft *d,
                                   struct dg_rows *r, struct t2_err *err)
{
    struct dg_file_value v = dg_kind_value(c, "columns", d->columns);
    int last_key;

    r->second = r->label = -1;
    r->first = -1;
    r->n_columns = -1;
    for (size_t i = 0; i < t2_json_size(d->columns); i++) {
        struct dg_file_value item = v;
        const char *key;
        if (t2_json_type(d->columns) != T2_JSON_OBJECT)
            break;
        key = t2_json_member(d->columns, i, &item.json);
        item.key = dg_file_keep(c->memory, t2_asprintf("columns.%s", key));
        T2_TRY(read_columns_key(&item, key, r, err));
    }
    if (r->n_columns < 0 || r->first < 0)
        return dg_value_wrong(&v, "a mapping with count and first", err);
    r->n_columns++; /* it is no column, but how many there are */
    last_key = r->dev_list ? r->keys + 1 : 0;
    if (r->first >= r->n_columns || r->second >= r->n_columns || r->label >= r->n_columns ||
        last_key >= r->n_columns)
        return dg_value_wrong(&v, "columns among the first `count` of them", err);
    return T2_OK;
}

/* ---- files
 * ----------------------------------------------------------------------------------- */

/* Members of one archive. */
static enum t2_status read_members(const struct dg_file_context *c, const struct dg_draft *d,
                                   struct dg_rows *r, struct t2_err *err)
{
    struct dg_file_value from = dg_kind_value(c, "from", d->from);
    const struct dg_file_source *archive;

    T2_TRY(dg_file_find(c->files, &from, &archive, err));
    if (archive->source.is_plain || !archive->source.sign)
        return dg_value_wrong(&from, "a file that is not plain, with unpacked", err);
    r->source = &archive->source;
    for (int split = 0; split < DG_N_SPLITS; split++) {
        struct dg_file_value v =
            dg_kind_value(c, dg_split_name((enum dg_split) split), d->splits[split]);
        if (d->splits[split])
            T2_TRY(dg_value_string(&v, &r->members[split], err));
    }
    return T2_OK;
}

static enum t2_status find_plain(const struct dg_file_context *c, const char *key,
                                 const struct t2_json_value *json, const struct dg_source **source,
                                 struct t2_err *err)
{
    struct dg_file_value v = dg_kind_value(c, key, json);
    const struct dg_file_source *found;

    T2_TRY(dg_file_find(c->files, &v, &found, err));
    *source = &found->source;
    return found->source.is_plain && found->source.sign
               ? T2_OK
               : dg_value_wrong(&v, "a file with its name that is plain", err);
}

/* A file for each split; all three are fetched, so that test is that of dev when there is none. */
static enum t2_status read_plain(const struct dg_file_context *c, const struct dg_draft *d,
                                 struct dg_rows *r, struct t2_err *err)
{
    const struct dg_source **plain = dg_file_alloc(c->memory, DG_N_SPLITS, sizeof *plain);

    for (int split = 0; split < DG_N_SPLITS; split++) {
        const struct t2_json_value *json = d->splits[split] ? d->splits[split] : d->splits[DG_DEV];
        T2_TRY(find_plain(c, dg_split_name((enum dg_split) split), json, &plain[split], err));
    }
    r->plain = plain;
    return T2_OK;
}

static void list_files(const struct dg_file_context *c, const struct dg_rows *r,
                       struct dg_problem *p)
{
    struct dg_kind_files files = {0};

    files.items = dg_file_alloc(c->memory, c->files->n + 1, sizeof *files.items);
    if (r->source)
        dg_kind_add_file(&files, r->source->file);
    for (int split = 0; r->plain && split < DG_N_SPLITS; split++)
        dg_kind_add_file(&files, r->plain[split]->file);
    if (r->dev_list)
        dg_kind_add_file(&files, r->dev_list->file);
    p->sources = files.items;
}

/* ---- labels
 * ---------------------------------------------------------------------------------- */

/* Classes, of a text or a pair; or one text out of both, and the label a text too. */
static enum t2_status read_labels(const struct dg_file_context *c, const struct dg_draft *d,
                                  struct dg_rows *r, struct dg_problem *p, struct t2_err *err)
{
    struct dg_file_value v = dg_kind_value(c, "classes", d->classes);
    struct dg_file_value before = dg_kind_value(c, "before", d->before);
    const char *texts[2];
    size_t n;

    if ((d->classes != NULL) == (d->before != NULL))
        return dg_value_wrong(&v, "given, or `before` in its place", err);
    if (d->before) {
        T2_TRY(dg_value_pair(&before, texts, err));
        if (r->second < 0)
            return dg_value_wrong(&before, "of two columns: columns.second is not given", err);
        r->before_first = texts[0];
        r->before_second = texts[1];
        p->shared_vocab = true;
        return dg_kind_vocab(c, d, &p->targets_vocab, err);
    }
    T2_TRY(dg_value_list(&v, &p->targets_vocab.classes, &n, err));
    if (n < 2 || n > MAX_CLASSES)
        return dg_value_wrong(&v, "two texts or more", err);
    p->targets_vocab.kind = DG_VOCAB_CLASSES;
    p->targets_vocab.approx_size = (int64_t) n;
    p->text.context = r->second < 0 ? DG_CONTEXT_NONE : DG_CONTEXT_JOINED;
    return dg_kind_vocab(c, d, &p->inputs_vocab, err);
}

enum t2_status dg_kind_rows(const struct dg_file_context *c, const struct dg_draft *d,
                            struct dg_problem *p, struct t2_err *err)
{
    struct dg_rows *r = dg_file_alloc(c->memory, 1, sizeof *r);
    struct dg_file_value dev_list = dg_kind_value(c, "dev_list", NULL);
    struct dg_file_value both_orders = dg_kind_value(c, "both_orders", NULL);

    T2_TRY(dg_kind_common(c, d, p, err));
    T2_TRY(d->from ? read_members(c, d, r, err) : read_plain(c, d, r, err));
    if (d->dev_list && d->from)
        return dg_value_wrong(&dev_list, "left out with from", err);
    if (d->dev_list)
        T2_TRY(find_plain(c, "dev_list", d->dev_list, &r->dev_list, err));
    T2_TRY(read_columns(c, d, r, err));
    if (d->both_orders && r->second < 0)
        return dg_value_wrong(&both_orders, "left out without columns.second", err);
    T2_TRY(read_labels(c, d, r, p, err));
    r->n_header = (int) d->header_lines;
    r->skip_short = d->skip_short_rows;
    r->both_orders = d->both_orders;
    r->label_is_number = d->numbered_labels;
    r->no_label = d->no_label;
    list_files(c, r, p);
    p->prepare = dg_rows_prepare;
    p->open = dg_rows_open;
    p->context = r;
    return T2_OK;
}
