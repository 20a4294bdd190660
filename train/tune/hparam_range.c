/*
 * train/tune/hparam_range.c - ranges from YAML: a user's file, and the registered ones, whose text
 * (registered_ranges.yaml) is part of the program.
 */
#include "train/tune/hparam_range.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/yaml_tree.h"

enum { MOST_BYTES = 1 << 20, MOST_PARAMS = 1000, MOST_VALUES = 10000 };

static const char *const kind_names[] = {"float", "int", "discrete", "categorical"};
static const char *const scale_names[] = {NULL, "linear", "log", "reverse_log"};

/* The exact integers of a double. */
static const double largest_int = 9007199254740992.0;

/* What a message about a place in the file begins with. */
struct place {
    const char *origin;
    const struct t2_yaml_node *node;
};

#define COMPLAIN(at, format, ...)                                                                  \
    t2_fail(err, T2_EFORMAT, "'%s': line %zu: " format, (at)->origin, (at)->node->line, __VA_ARGS__)

static bool is_bounds(enum tune_kind kind)
{
    return kind == TUNE_FLOAT || kind == TUNE_INT;
}

/* ---- reading ---- */

static enum t2_status read_bound(const struct place *at, const char *name, enum tune_kind kind,
                                 double *bound, struct t2_err *err)
{
    if (at->node->kind != T2_YAML_SCALAR || !t2_parse_double(at->node->text, bound))
        return COMPLAIN(at, "a bound of '%s' is not a number", name);
    if (kind == TUNE_INT && (*bound != floor(*bound) || fabs(*bound) > largest_int))
        return COMPLAIN(at, "the bound %s of '%s' is not a whole number", at->node->text, name);
    return T2_OK;
}

static bool has_control(const char *s)
{
    for (; *s; s++)
        if ((unsigned char) *s < ' ' || *s == 0x7f)
            return true;
    return false;
}

/* The text goes into --hparams as `name=value`, between commas. */
static enum t2_status read_value(const struct place *at, struct tune_param *p, struct t2_err *err)
{
    const struct t2_yaml_node *v = at->node;
    size_t n;
    double number;

    if (v->kind != T2_YAML_SCALAR)
        return COMPLAIN(at, "the values of '%s' are a list of numbers or words", p->name);
    n = strlen(v->text);
    if (n == 0 || strpbrk(v->text, ",[]=") || v->text[0] == ' ' || v->text[n - 1] == ' ' ||
        has_control(v->text))
        return COMPLAIN(at,
                        "the value '%s' of '%s' cannot stand in --hparams: it is empty, or has one "
                        "of , [ ] =, a control character, or a blank at an end",
                        v->text, p->name);
    if (p->kind == TUNE_DISCRETE && !t2_parse_double(v->text, &number))
        return COMPLAIN(at, "the value '%s' of '%s' is not a number; words are categorical",
                        v->text, p->name);
    if (t2_strs_contains(&p->values, v->text))
        return COMPLAIN(at, "the value '%s' of '%s' is there twice", v->text, p->name);
    t2_strs_push(&p->values, v->text);
    return T2_OK;
}

static enum t2_status read_values(const struct place *at, struct tune_param *p, struct t2_err *err)
{
    const struct t2_yaml_node *list = at->node;

    if (is_bounds(p->kind)) {
        if (list->kind != T2_YAML_LIST || list->n != 2)
            return COMPLAIN(at, "'%s': %s takes [MIN, MAX]", p->name, kind_names[p->kind]);
        T2_TRY(read_bound(&(struct place){at->origin, &list->items[0]}, p->name, p->kind, &p->min,
                          err));
        T2_TRY(read_bound(&(struct place){at->origin, &list->items[1]}, p->name, p->kind, &p->max,
                          err));
        if (!(p->min <= p->max) || !isfinite(p->max - p->min))
            return COMPLAIN(at, "'%s': the bounds %g and %g are no range", p->name, p->min, p->max);
        return T2_OK;
    }
    if (list->kind != T2_YAML_LIST || list->n == 0 || list->n > MOST_VALUES)
        return COMPLAIN(at, "'%s': %s takes a list of 1 to %d values", p->name, kind_names[p->kind],
                        MOST_VALUES);
    for (size_t i = 0; i < list->n; i++)
        T2_TRY(read_value(&(struct place){at->origin, &list->items[i]}, p, err));
    return T2_OK;
}

static enum t2_status read_scale(const struct place *at, struct tune_param *p, struct t2_err *err)
{
    if (at->node->kind == T2_YAML_SCALAR) {
        for (int i = TUNE_LINEAR; i <= TUNE_REVERSE_LOG; i++) {
            if (strcmp(at->node->text, scale_names[i]) == 0) {
                p->scale = (enum tune_scale) i;
                return T2_OK;
            }
        }
    }
    return COMPLAIN(at, "'%s': scale is linear, log or reverse_log", p->name);
}

/* As --hparams reads it. */
static bool is_name(const char *s)
{
    if (!isalpha((unsigned char) *s))
        return false;
    for (; *s; s++)
        if (!isalnum((unsigned char) *s) && *s != '_' && *s != '.')
            return false;
    return true;
}

static int find_kind(const char *key)
{
    for (int i = 0; i <= TUNE_CATEGORICAL; i++)
        if (strcmp(key, kind_names[i]) == 0)
            return i;
    return -1;
}

/* `at` is one hparam, `{float: [1, 2], scale: log}`. */
static enum t2_status read_param(const struct place *at, struct tune_param *p, struct t2_err *err)
{
    const struct t2_yaml_node *spec = at->node;
    bool has_kind = false;

    p->name = t2_strdup(spec->key);
    if (!is_name(p->name))
        return COMPLAIN(at, "'%s' cannot be the name of a hparam", p->name);
    if (spec->kind != T2_YAML_MAPPING)
        return COMPLAIN(at,
                        "'%s' is not a range like {float: [0.1, 1.0], scale: log}; there are "
                        "float, int, discrete, categorical",
                        p->name);
    for (size_t i = 0; i < spec->n; i++) {
        const struct place item = {at->origin, &spec->items[i]};
        int kind = find_kind(item.node->key);
        if (strcmp(item.node->key, "scale") == 0) {
            T2_TRY(read_scale(&item, p, err));
            continue;
        }
        if (kind < 0 || has_kind)
            return COMPLAIN(&item,
                            "'%s' has '%s'; there is one of float, int, discrete, categorical, and "
                            "scale",
                            p->name, item.node->key);
        has_kind = true;
        p->kind = (enum tune_kind) kind;
        T2_TRY(read_values(&item, p, err));
    }
    if (!has_kind)
        return COMPLAIN(at, "'%s' has no float, int, discrete or categorical", p->name);
    if (p->scale != TUNE_NO_SCALE && p->kind == TUNE_CATEGORICAL)
        return COMPLAIN(at, "'%s': words have no scale", p->name);
    if (is_bounds(p->kind) && p->scale >= TUNE_LOG && p->min <= 0)
        return COMPLAIN(at, "'%s': a logarithmic scale begins above 0, not at %g", p->name, p->min);
    return T2_OK;
}

/* Members of `mapping`, NULL for an empty file. */
static enum t2_status read_range(const char *origin, const struct t2_yaml_node *mapping,
                                 struct tune_range **range, struct t2_err *err)
{
    enum t2_status st = T2_OK;
    struct tune_range *r;

    *range = NULL;
    if (!mapping || mapping->kind != T2_YAML_MAPPING || mapping->n == 0 || mapping->n > MOST_PARAMS)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': a range is a mapping of hparams: `learning_rate: {float: [0.1, 1.0], "
                       "scale: log}`",
                       origin);
    r = t2_alloc(1, sizeof *r);
    r->params = t2_alloc(mapping->n, sizeof *r->params);
    while (r->n < mapping->n && st == T2_OK) {
        st = read_param(&(struct place){origin, &mapping->items[r->n]}, &r->params[r->n], err);
        r->n++; /* also frees what was read of it */
    }
    if (st != T2_OK)
        tune_range_free(r);
    else
        *range = r;
    return st;
}

/* A file with an hparams set (runs/own_set.h) has its ranges under that key. */
static const struct t2_yaml_node *ranges_of(const struct t2_yaml_node *root)
{
    const struct t2_yaml_node *ranges = NULL;
    bool is_set = false;

    for (size_t i = 0; root && root->kind == T2_YAML_MAPPING && i < root->n; i++) {
        const struct t2_yaml_node *m = &root->items[i];

        is_set = is_set || (strcmp(m->key, "base") == 0 && m->kind == T2_YAML_SCALAR);
        if (strcmp(m->key, "ranges") == 0)
            ranges = m;
    }
    return is_set ? ranges : root;
}

enum t2_status tune_range_parse(const char *text, size_t len_bytes, const char *origin,
                                struct tune_range **range, struct t2_err *err)
{
    struct t2_yaml_node *root = NULL;
    enum t2_status st;

    *range = NULL;
    T2_TRY(t2_yaml_tree(text, len_bytes, origin, &root, err));
    st = read_range(origin, ranges_of(root), range, err);
    t2_yaml_free(root);
    return st;
}

void tune_range_free(struct tune_range *range)
{
    if (!range)
        return;
    for (size_t i = 0; i < range->n; i++) {
        t2_free(range->params[i].name);
        t2_strs_release(&range->params[i].values);
    }
    t2_free(range->params);
    t2_free(range);
}

/* ---- the registered ones ---- */

extern const char tune_text_registered_ranges[];
extern const size_t tune_text_registered_ranges_bytes;

static struct t2_yaml_node *registered(void)
{
    struct t2_yaml_node *root = NULL;
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st = t2_yaml_tree(tune_text_registered_ranges, tune_text_registered_ranges_bytes,
                                     "registered ranges", &root, &err);

    T2_ASSERT(st == T2_OK && root && root->kind == T2_YAML_MAPPING); /* the text is ours */
    return root;
}

void tune_list_ranges(struct t2_strs *names)
{
    struct t2_yaml_node *all = registered();

    for (size_t i = 0; i < all->n; i++)
        t2_strs_push(names, all->items[i].key);
    t2_strs_sort(names);
    t2_yaml_free(all);
}

static enum t2_status unknown(const char *name, struct t2_err *err)
{
    struct t2_strs names = {0};
    const char *near;

    tune_list_ranges(&names);
    near = t2_nearest(name, (const char *const *) names.items, names.n);
    (void) t2_fail(err, T2_EUSAGE,
                   "unknown hparams range '%s'%s%s%s; --registry_help lists all, and the name of a "
                   "file of your own ends in .yaml",
                   name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    t2_strs_release(&names);
    return T2_EUSAGE;
}

enum t2_status tune_range_open(const char *name, struct tune_range **range, struct t2_err *err)
{
    struct t2_buf text = {0};
    enum t2_status st;
    struct t2_yaml_node *all;

    *range = NULL;
    if (t2_ends_with(name, ".yaml") || t2_ends_with(name, ".yml")) {
        st = t2_read_file(name, MOST_BYTES, &text, err);
        if (st == T2_OK)
            st = tune_range_parse(t2_buf_cstr(&text), text.len_bytes, name, range, err);
        t2_buf_release(&text);
        return st;
    }
    all = registered();
    st = T2_ENOTFOUND;
    for (size_t i = 0; i < all->n && st == T2_ENOTFOUND; i++)
        if (strcmp(all->items[i].key, name) == 0)
            st = read_range(name, &all->items[i], range, err);
    t2_yaml_free(all);
    return st == T2_ENOTFOUND ? unknown(name, err) : st;
}

/* ---- writing ---- */

static void put_quoted(struct t2_buf *text, const char *s)
{
    t2_buf_push(text, '\'');
    for (; *s; s++) {
        if (*s == '\'')
            t2_buf_push(text, '\'');
        t2_buf_push(text, (uint8_t) *s);
    }
    t2_buf_push(text, '\'');
}

/* The shortest text that reads back the same. */
static void put_double(struct t2_buf *text, double v)
{
    struct t2_json j;

    t2_json_init(&j, text, 0);
    t2_json_double(&j, v);
}

void tune_range_text(const struct tune_range *range, struct t2_buf *text)
{
    t2_buf_push(text, '{');
    for (size_t i = 0; i < range->n; i++) {
        const struct tune_param *p = &range->params[i];

        t2_buf_puts(text, i > 0 ? ", " : "");
        put_quoted(text, p->name);
        t2_buf_printf(text, ": {%s: [", kind_names[p->kind]);
        if (is_bounds(p->kind)) {
            put_double(text, p->min);
            t2_buf_puts(text, ", ");
            put_double(text, p->max);
        }
        for (size_t k = 0; k < p->values.n; k++) {
            t2_buf_puts(text, k > 0 ? ", " : "");
            put_quoted(text, p->values.items[k]);
        }
        t2_buf_puts(text, "]");
        if (p->scale != TUNE_NO_SCALE)
            t2_buf_printf(text, ", scale: %s", scale_names[p->scale]);
        t2_buf_push(text, '}');
    }
    t2_buf_push(text, '}');
}
