/*
 * datagen/drop_report.c - what was left out.
 */
#include "datagen/drop_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "tokenizer/unicode.h"

static struct dg_drop *drop_of(struct dg_drops *d, const char *reason)
{
    for (size_t i = 0; i < d->n; i++) {
        if (strcmp(d->items[i].reason, reason) == 0)
            return &d->items[i];
    }
    T2_ASSERT(d->n < DG_DROP_REASONS);
    d->items[d->n].reason = t2_strdup(reason);
    return &d->items[d->n++];
}

static void add_example(struct dg_drop *drop, const char *path, uint64_t line, const char *text)
{
    size_t i = drop->n_examples;

    if (i == DG_DROP_EXAMPLES)
        return;
    drop->examples[i].path = t2_strdup(path ? path : "");
    drop->examples[i].line = line;
    drop->examples[i].text = text && *text ? t2_strdup(text) : NULL;
    drop->n_examples++;
}

void dg_drops_add(struct dg_drops *d, const char *reason, const char *path, uint64_t line,
                  const char *text)
{
    struct dg_drop *drop = drop_of(d, reason);

    drop->n++;
    d->total++;
    add_example(drop, path, line, text);
}

void dg_drops_put_first(struct dg_drops *d, struct dg_drops *first)
{
    struct dg_drops behind = *d;

    *d = *first;
    memset(first, 0, sizeof *first);
    for (size_t i = 0; i < behind.n; i++) {
        struct dg_drop *drop = drop_of(d, behind.items[i].reason);
        drop->n += behind.items[i].n;
        for (size_t k = 0; k < behind.items[i].n_examples; k++)
            add_example(drop, behind.items[i].examples[k].path, behind.items[i].examples[k].line,
                        behind.items[i].examples[k].text);
    }
    d->total += behind.total;
    dg_drops_release(&behind);
}

static int compare_reasons(const void *a, const void *b)
{
    const struct dg_drop *x = a, *y = b;

    return strcmp(x->reason, y->reason);
}

static int compare_examples(const struct dg_drop *x, size_t i, const struct dg_drop *y, size_t k)
{
    int order = strcmp(x->examples[i].path, y->examples[k].path);

    if (order == 0)
        order = (x->examples[i].line > y->examples[k].line) -
                (x->examples[i].line < y->examples[k].line);
    return order;
}

/* Two sorted lists of examples become one. */
static void merge_examples(struct dg_drop *to, const struct dg_drop *from)
{
    struct dg_drop old = *to;
    size_t a = 0, b = 0;

    to->n_examples = 0;
    while (a < old.n_examples || b < from->n_examples) {
        bool first = b == from->n_examples ||
                     (a < old.n_examples && compare_examples(&old, a, from, b) <= 0);
        const struct dg_drop *d = first ? &old : from;
        size_t k = first ? a++ : b++;
        add_example(to, d->examples[k].path, d->examples[k].line, d->examples[k].text);
    }
    for (size_t i = 0; i < old.n_examples; i++) {
        t2_free(old.examples[i].path);
        t2_free(old.examples[i].text);
    }
}

void dg_drops_join(struct dg_drops *d, struct dg_drops *from)
{
    for (size_t i = 0; i < from->n; i++) {
        struct dg_drop *drop = drop_of(d, from->items[i].reason);
        drop->n += from->items[i].n;
        merge_examples(drop, &from->items[i]);
    }
    d->total += from->total;
    qsort(d->items, d->n, sizeof *d->items, compare_reasons);
    dg_drops_release(from);
}

void dg_drops_release(struct dg_drops *d)
{
    for (size_t i = 0; i < d->n; i++) {
        t2_free(d->items[i].reason);
        for (size_t k = 0; k < d->items[i].n_examples; k++) {
            t2_free(d->items[i].examples[k].path);
            t2_free(d->items[i].examples[k].text);
        }
    }
    memset(d, 0, sizeof *d);
}

/* ---- excerpts ---- */

static void put_side(struct t2_slice text, struct t2_buf *out)
{
    size_t at = 0;

    while (at < text.len_bytes) {
        uint32_t c;
        bool valid;
        size_t n = tok_utf8_decode(text.data + at, text.len_bytes - at, &c, &valid);
        if (at + n > DG_EXCERPT_BYTES) {
            t2_buf_puts(out, "...");
            return;
        }
        if (!valid || c < ' ' || c == 0x7f)
            t2_buf_printf(out, c == '\t' && valid ? "\\t" : "\\x%02x", text.data[at]);
        else
            t2_buf_append(out, text.data + at, n);
        at += valid ? n : 1;
    }
}

void dg_excerpt_put(struct t2_slice inputs, struct t2_slice targets, struct t2_buf *out)
{
    put_side(inputs, out);
    if (inputs.len_bytes && targets.len_bytes)
        t2_buf_puts(out, " ||| ");
    put_side(targets, out);
}

/* ---- JSON ---- */

static void put_drop(const struct dg_drop *d, const char *split, struct t2_json *j)
{
    t2_json_object(j);
    if (split)
        t2_json_kv_string(j, "split", split);
    t2_json_kv_string(j, "reason", d->reason);
    t2_json_kv_u64(j, "n", d->n);
    t2_json_key(j, "first");
    t2_json_array(j);
    for (size_t i = 0; i < d->n_examples; i++) {
        t2_json_object(j);
        t2_json_kv_string(j, "path", d->examples[i].path);
        t2_json_kv_u64(j, "line", d->examples[i].line);
        if (d->examples[i].text)
            t2_json_kv_string(j, "text", d->examples[i].text);
        t2_json_end_object(j);
    }
    t2_json_end_array(j);
    t2_json_end_object(j);
}

void dg_drops_json(const struct dg_drops *d, const char *split, struct t2_json *json)
{
    for (size_t i = 0; i < d->n; i++)
        put_drop(&d->items[i], split, json);
}

enum t2_status dg_drops_save(const struct dg_drops *d, const char *path, struct t2_err *err)
{
    struct t2_buf text = {0};
    struct t2_json json;
    enum t2_status st;

    t2_json_init(&json, &text, 1);
    t2_json_array(&json);
    dg_drops_json(d, NULL, &json);
    t2_json_end_array(&json);
    t2_buf_push(&text, '\n');
    st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&text);
    return st;
}

enum t2_status dg_drops_take(const struct t2_json_value *one, const char *path, struct dg_drops *d,
                             struct t2_err *err)
{
    const char *reason = t2_json_as_string(t2_json_get(one, "reason"), "");
    const struct t2_json_value *first = t2_json_get(one, "first");
    int64_t n = t2_json_as_i64(t2_json_get(one, "n"), 0);
    struct dg_drop *drop;

    if (reason[0] == '\0' || n < 1 || d->n == DG_DROP_REASONS)
        return t2_fail(err, T2_EFORMAT, "'%s' is no report of what was left out; remove it", path);
    drop = drop_of(d, reason);
    drop->n += (uint64_t) n;
    d->total += (uint64_t) n;
    for (size_t i = 0; i < t2_json_size(first); i++) {
        const struct t2_json_value *e = t2_json_item(first, i);
        add_example(drop, t2_json_as_string(t2_json_get(e, "path"), ""),
                    (uint64_t) t2_json_as_i64(t2_json_get(e, "line"), 0),
                    t2_json_as_string(t2_json_get(e, "text"), ""));
    }
    return T2_OK;
}

enum t2_status dg_drops_load(const char *path, struct dg_drops *d, struct t2_err *err)
{
    struct t2_json_doc *doc = NULL;
    const struct t2_json_value *root;
    enum t2_status st;

    if (!t2_exists(path))
        return T2_OK;
    T2_TRY(t2_json_load(path, &doc, err));
    root = t2_json_root(doc);
    st = t2_json_type(root) == T2_JSON_ARRAY ? T2_OK
                                             : t2_fail(err, T2_EFORMAT,
                                                       "'%s' is no report of what "
                                                       "was left out; remove it",
                                                       path);
    for (size_t i = 0; i < t2_json_size(root) && st == T2_OK; i++)
        st = dg_drops_take(t2_json_item(root, i), path, d, err);
    t2_json_free(doc);
    return st;
}
