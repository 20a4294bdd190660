/*
 * datagen/problems/class_rows.c - labelled texts and pairs of texts out of the columns of a TSV
 * file.
 */
#include "datagen/problems/class_rows.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "datagen/source/row_stream.h"
#include "datagen/source/tab_fields.h"

struct state {
    struct dg_fields columns;
    const struct dg_problem *p;
    enum dg_split split;
    struct t2_map *dev; /* rows.dev_list; NULL until it was read */
    struct t2_buf key, text;
    struct t2_slice first, second;
    int64_t label;
    bool turn; /* the pair turned round comes next */
};

static struct t2_slice pair_key(struct state *s, const struct t2_slice *items)
{
    t2_buf_clear(&s->key);
    t2_buf_append(&s->key, items[0].data, items[0].len_bytes);
    t2_buf_push(&s->key, '\t');
    t2_buf_append(&s->key, items[1].data, items[1].len_bytes);
    return t2_buf_slice(&s->key);
}

static enum t2_status read_dev_list(struct dg_row_stream *ls, const struct dg_rows *rows,
                                    struct t2_err *err)
{
    struct state *s = ls->state;
    struct dg_fields columns = {0};
    struct dg_source_text text;
    struct t2_slice line, key;
    enum t2_status st;

    s->dev = t2_map_new();
    T2_TRY(dg_source_open(rows->dev_list, NULL, ls->options, ls->base.hash_on, &text, err));
    while ((st = dg_source_line(&text, &line, err)) == T2_OK) {
        dg_fields_cut(&columns, line);
        if (columns.n != 2)
            continue;
        key = pair_key(s, columns.items);
        (void) t2_map_at(s->dev, key.data, key.len_bytes, NULL);
    }
    if (st == T2_EOF && ls->base.hash_on)
        dg_source_note(&text, "dev ids", &ls->base.files);
    dg_source_close(&text);
    dg_fields_release(&columns);
    return st == T2_EOF ? T2_OK : st;
}

/* Decides if a row of the file of TRAIN and DEV belongs to the split. */
static enum t2_status is_of_split(struct dg_row_stream *ls, const struct dg_rows *rows, bool *is,
                                  struct t2_err *err)
{
    struct state *s = ls->state;
    struct t2_slice key;

    *is = true;
    if (!rows->dev_list || s->split == DG_TEST)
        return T2_OK;
    if (!s->dev)
        T2_TRY(read_dev_list(ls, rows, err));
    key = pair_key(s, s->columns.items + rows->keys);
    *is = (t2_map_find(s->dev, key.data, key.len_bytes) != NULL) == (s->split == DG_DEV);
    return T2_OK;
}

static enum t2_status read_label(const struct dg_row_stream *ls, const struct dg_rows *rows,
                                 struct t2_slice text, int64_t *label, struct t2_err *err)
{
    const struct state *s = ls->state;
    const struct dg_vocab_spec *spec = &s->p->targets_vocab;

    if (rows->label_is_number) {
        if (dg_parse_int(text, label) && *label >= 0 && *label < spec->approx_size)
            return T2_OK;
        return dg_row_fail(ls, err, "label '%.*s': must be 0 to %" PRId64, (int) text.len_bytes,
                           (const char *) text.data, spec->approx_size - 1);
    }
    for (*label = 0; *label < spec->approx_size; ++*label) {
        if (t2_slice_eq(text, t2_slice_of(spec->classes[*label])))
            return T2_OK;
    }
    return dg_row_fail(ls, err, "label '%.*s' is none of '%s', '%s'%s", (int) text.len_bytes,
                       (const char *) text.data, spec->classes[0], spec->classes[1],
                       spec->approx_size > 2 ? ", ..." : "");
}

static void fill_classes(struct state *s, struct dg_sample *sample)
{
    sample->inputs = s->first;
    sample->context = s->second;
    sample->numbers[DG_TARGETS] = &s->label;
    sample->n_numbers[DG_TARGETS] = 1;
}

static void fill_text(struct state *s, const struct dg_rows *rows, struct t2_slice label,
                      struct dg_sample *sample)
{
    t2_buf_clear(&s->text);
    t2_buf_puts(&s->text, rows->before_first);
    t2_buf_append(&s->text, s->first.data, s->first.len_bytes);
    t2_buf_puts(&s->text, rows->before_second);
    t2_buf_append(&s->text, s->second.data, s->second.len_bytes);
    sample->inputs = t2_buf_slice(&s->text);
    sample->targets = label;
}

static enum t2_status row(struct dg_row_stream *ls, struct t2_slice line, struct dg_sample *sample,
                          struct t2_err *err)
{
    const struct dg_rows *rows = ls->context;
    struct state *s = ls->state;
    struct t2_slice label;
    size_t wanted = (size_t) rows->n_columns;
    bool is_of;

    dg_fields_cut(&s->columns, line);
    if (s->columns.n == 1 && s->columns.items[0].len_bytes == 0) {
        sample->drop = "blank line";
        return T2_OK;
    }
    if (s->columns.n < wanted && rows->skip_short) {
        sample->drop = "too few columns";
        return T2_OK;
    }
    if (s->columns.n < wanted || (s->columns.n > wanted && !rows->more_columns))
        return dg_row_fail(ls, err, "%zu columns, expected %s%zu", s->columns.n,
                           rows->more_columns ? "at least " : "", wanted);
    label = s->columns.items[rows->label < 0 ? s->columns.n - 1 : (size_t) rows->label];
    if (rows->no_label && t2_slice_eq(label, t2_slice_of(rows->no_label))) {
        sample->drop = "no label";
        return T2_OK;
    }
    T2_TRY(is_of_split(ls, rows, &is_of, err));
    if (!is_of)
        return T2_EOF;
    s->first = s->columns.items[rows->first];
    s->second = rows->second < 0 ? (struct t2_slice){0} : s->columns.items[rows->second];
    if (rows->before_first) {
        fill_text(s, rows, label, sample);
        return T2_OK;
    }
    T2_TRY(read_label(ls, rows, label, &s->label, err));
    s->turn = rows->both_orders;
    fill_classes(s, sample);
    return T2_OK;
}

static enum t2_status turned_row(struct dg_row_stream *ls, struct dg_sample *sample)
{
    struct state *s = ls->state;

    if (!s->turn)
        return T2_EOF;
    s->turn = false;
    fill_classes(s, sample);
    sample->inputs = s->second;
    sample->context = s->first;
    return T2_OK;
}

static void release_state(void *state)
{
    struct state *s = state;

    dg_fields_release(&s->columns);
    t2_map_free(s->dev);
    t2_buf_release(&s->key);
    t2_buf_release(&s->text);
    t2_free(s);
}

enum t2_status dg_rows_open(const struct dg_problem *p, const struct dg_options *options,
                            enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    const struct dg_rows *rows = p->context;
    struct dg_row_stream *ls = t2_alloc(1, sizeof *ls);
    struct state *s = t2_alloc(1, sizeof *s);

    (void) err;
    s->p = p;
    s->split = split;
    ls->source = rows->plain ? rows->plain[split] : rows->source;
    ls->members = rows->plain ? NULL : &rows->members[split];
    ls->n_members = 1;
    ls->role = "rows";
    ls->n_header = rows->n_header;
    ls->options = options;
    ls->context = rows;
    ls->state = s;
    ls->release = release_state;
    ls->line = row;
    ls->again = turned_row;
    ls->base.keep_blanks = true;
    dg_row_stream_init(ls);
    *stream = &ls->base;
    return T2_OK;
}

enum t2_status dg_rows_prepare(const struct dg_problem *p, const struct dg_options *options,
                               struct t2_err *err)
{
    const struct dg_rows *rows = p->context;

    if (!rows->plain)
        return dg_sources_fetch(&rows->source, 1, options, err);
    T2_TRY(dg_sources_fetch(rows->plain, DG_N_SPLITS, options, err));
    return rows->dev_list ? dg_sources_fetch(&rows->dev_list, 1, options, err) : T2_OK;
}
