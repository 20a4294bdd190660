/*
 * datagen/problem_files/problem_set.c - the problems that a YAML text describes.
 */
#include "datagen/problem_files/problem_set.h"

#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/file.h"
#include "base/map.h"
#include "base/yaml.h"
#include "datagen/problem_files/braces.h"
#include "datagen/problem_files/own_text_file.h"
#include "datagen/problem_files/problem_kinds.h"

enum { MAX_PROBLEMS = 1024, MAX_LIKE = 16, MAX_NAMES_BYTES = 4096 };

/* A few bytes can ask for much: each name of `names` is a problem, and what is `like` others is
 * read after them.  Values that are read, so many and one for each byte of the file. */
enum { VALUES_ANYWAY = 100000, VALUES_A_BYTE = 1 };

/* A mapping of `problems`, or the whole file. */
struct item {
    const struct t2_json_value *json;
    const struct item *like; /* NULL: none */
    int depth;               /* how many it is like, one after the other */
    const char *const *names;
    size_t n_names;
    uint64_t n_values; /* in json, however deep */
};

struct dg_problem_set {
    char *path;
    struct t2_json_doc *doc;
    struct dg_file_memory memory;
    struct dg_file_sources files;
    struct item *items;
    size_t n_items;
    struct t2_map *names;     /* to the item + 1 */
    struct dg_problem *table; /* all but text of one's own */
    const struct dg_problem **problems;
    const char **family_of; /* of each problem; NULL: none */
    struct dg_problem **own;
    size_t n, n_table, n_own;
    struct dg_family *families;
    size_t n_families;
    struct t2_budget values;
    uint64_t n_common_values; /* of what holds for all problems */
};

static struct dg_file_context context_of(struct dg_problem_set *set)
{
    return (
        struct dg_file_context){.path = set->path, .memory = &set->memory, .files = &set->files};
}

static struct dg_file_value value_of(struct dg_problem_set *set, const char *key,
                                     const struct t2_json_value *json)
{
    return (
        struct dg_file_value){.path = set->path, .key = key, .json = json, .memory = &set->memory};
}

/* ---- work
 * ------------------------------------------------------------------------------------ */

/* Not deeper than YAML may be nested. */
static uint64_t count_values(const struct t2_json_value *json)
{
    uint64_t n = 1;

    for (size_t i = 0; i < t2_json_size(json); i++) {
        const struct t2_json_value *inner = t2_json_item(json, i);
        if (t2_json_type(json) == T2_JSON_OBJECT)
            t2_json_member(json, i, &inner);
        n += count_values(inner);
    }
    return n;
}

static enum t2_status spend(struct dg_problem_set *set, const struct item *item, struct t2_err *err)
{
    uint64_t n = set->n_common_values;

    for (const struct item *i = item; i; i = i->like)
        n += i->n_values;
    return t2_budget_spend(&set->values, n * item->n_names, err);
}

/* ---- names
 * ----------------------------------------------------------------------------------- */

/* The name of the file without folder and end. */
static const char *default_name(struct dg_problem_set *set)
{
    const char *base = t2_path_base(set->path), *dot = strrchr(base, '.');

    return dg_file_keep(&set->memory, t2_strndup(base, dot ? (size_t) (dot - base) : strlen(base)));
}

/* `names`: each is one name, or several by braces. */
static enum t2_status read_names(struct dg_problem_set *set, const struct t2_json_value *json,
                                 struct item *item, struct t2_err *err)
{
    struct dg_file_value v = value_of(set, "names", json);
    const char *const *texts, **names;
    struct t2_strs all = {0};
    enum t2_status st = T2_OK;
    size_t n;

    T2_TRY(dg_value_list(&v, &texts, &n, err));
    for (size_t i = 0; i < n && st == T2_OK; i++) {
        if (strlen(texts[i]) > MAX_NAMES_BYTES)
            st = dg_value_wrong(&v, "texts of at most 4096 bytes", err);
        else if (!dg_expand_braces(texts[i], MAX_PROBLEMS, &all))
            st = dg_value_wrong(&v, "texts, with braces in pairs", err);
        else if (all.n > MAX_PROBLEMS)
            st = dg_value_wrong(&v, "at most 1024 names", err);
    }
    names = dg_file_alloc(&set->memory, all.n, sizeof *names);
    for (size_t i = 0; i < all.n; i++)
        names[i] = dg_file_keep(&set->memory, t2_strdup(all.items[i]));
    item->names = names;
    item->n_names = all.n;
    t2_strs_release(&all);
    return st;
}

static enum t2_status name_item(struct dg_problem_set *set, struct item *item, bool is_alone,
                                struct t2_err *err)
{
    const struct t2_json_value *names = t2_json_get(item->json, "names");
    struct dg_file_value name = value_of(set, "name", t2_json_get(item->json, "name"));
    const char **one = dg_file_alloc(&set->memory, 1, sizeof *one);

    if (names && name.json)
        return dg_value_wrong(&name, "left out with names", err);
    if (names)
        return read_names(set, names, item, err);
    if (name.json)
        T2_TRY(dg_value_text(&name, one, err));
    if (!*one || **one == '\0') {
        if (!is_alone)
            return dg_value_wrong(&name, "given for each of its problems", err);
        *one = default_name(set);
    }
    item->names = one;
    item->n_names = 1;
    return T2_OK;
}

/* An earlier problem. */
static enum t2_status find_like(struct dg_problem_set *set, struct item *item, struct t2_err *err)
{
    struct dg_file_value v = value_of(set, "like", t2_json_get(item->json, "like"));
    const uint64_t *at;
    const char *name;

    if (!v.json)
        return T2_OK;
    T2_TRY(dg_value_string(&v, &name, err));
    at = t2_map_find(set->names, name, strlen(name));
    if (!at)
        return t2_fail(err, T2_EFORMAT, "'%s': like: no problem '%s' is before it in the file",
                       set->path, name);
    item->like = &set->items[*at - 1];
    item->depth = item->like->depth + 1;
    return item->depth <= MAX_LIKE
               ? T2_OK
               : dg_value_wrong(&v, "one of a shorter chain: at most 16 are like each other", err);
}

static enum t2_status note_names(struct dg_problem_set *set, size_t i, struct t2_err *err)
{
    const struct item *item = &set->items[i];

    for (size_t k = 0; k < item->n_names; k++) {
        bool is_new;
        uint64_t *at = t2_map_at(set->names, item->names[k], strlen(item->names[k]), &is_new);
        if (!is_new)
            return t2_fail(err, T2_EFORMAT, "'%s': problem '%s' is there twice", set->path,
                           item->names[k]);
        *at = i + 1;
    }
    set->n += item->n_names;
    return set->n <= MAX_PROBLEMS
               ? T2_OK
               : t2_fail(err, T2_EFORMAT, "'%s': more than %d problems", set->path, MAX_PROBLEMS);
}

static enum t2_status add_item(struct dg_problem_set *set, const struct t2_json_value *json,
                               bool is_alone, struct t2_err *err)
{
    struct item *item = &set->items[set->n_items];

    if (t2_json_type(json) != T2_JSON_OBJECT)
        return t2_fail(err, T2_EFORMAT, "'%s': a problem is a mapping: 'train: a.en,a.de' ...",
                       set->path);
    item->json = json;
    item->n_values = count_values(json);
    T2_TRY(find_like(set, item, err));
    T2_TRY(name_item(set, item, is_alone, err));
    return note_names(set, set->n_items++, err);
}

static enum t2_status read_items(struct dg_problem_set *set, struct t2_err *err)
{
    const struct t2_json_value *root = t2_json_root(set->doc), *list;
    struct dg_file_value files;

    if (t2_json_type(root) != T2_JSON_OBJECT)
        return t2_fail(err, T2_EFORMAT, "'%s': a problem is a mapping: 'train: a.en,a.de' ...",
                       set->path);
    files = value_of(set, "files", t2_json_get(root, "files"));
    if (files.json)
        T2_TRY(dg_file_read_files(&files, &set->files, err));
    list = t2_json_get(root, "problems");
    set->items = t2_alloc(list ? t2_json_size(list) : 1, sizeof *set->items);
    if (!list)
        return add_item(set, root, true, err);
    set->n_common_values = count_values(root) - count_values(list) - count_values(files.json);
    if (t2_json_type(list) != T2_JSON_ARRAY)
        return t2_fail(err, T2_EFORMAT, "'%s': problems must be a list of mappings", set->path);
    for (size_t i = 0; i < t2_json_size(list); i++)
        T2_TRY(add_item(set, t2_json_item(list, i), false, err));
    return T2_OK;
}

/* ---- problems
 * -------------------------------------------------------------------------------- */

static bool is_key_of_file(const char *key)
{
    return strcmp(key, "files") == 0 || strcmp(key, "problems") == 0;
}

static bool is_key_of_item(const char *key)
{
    return strcmp(key, "name") == 0 || strcmp(key, "names") == 0 || strcmp(key, "like") == 0;
}

static enum t2_status read_keys(struct dg_problem_set *set, const struct t2_json_value *json,
                                struct dg_draft *d, struct t2_err *err)
{
    const struct t2_json_value *root = t2_json_root(set->doc);
    bool is_list = json == root && t2_json_get(root, "problems");

    for (size_t i = 0; i < t2_json_size(json); i++) {
        struct dg_file_value v = value_of(set, NULL, NULL);
        v.key = t2_json_member(json, i, &v.json);
        if (json == root && is_key_of_file(v.key))
            continue;
        if (is_list && is_key_of_item(v.key))
            return dg_value_wrong(&v, "inside one of the problems", err);
        if (!is_key_of_item(v.key))
            T2_TRY(dg_draft_key(d, &v, err));
    }
    return T2_OK;
}

/* What holds for all, then what it is like, then its own. */
static enum t2_status draft_of(struct dg_problem_set *set, const struct item *item,
                               struct dg_draft *d, struct t2_err *err)
{
    const struct t2_json_value *root = t2_json_root(set->doc);
    const struct item *chain[MAX_LIKE + 1];
    size_t n = 0;

    if (item->json != root)
        T2_TRY(read_keys(set, root, d, err));
    for (const struct item *i = item; i; i = i->like)
        chain[n++] = i;
    while (n > 0)
        T2_TRY(read_keys(set, chain[--n]->json, d, err));
    return T2_OK;
}

static enum t2_status make_problem(struct dg_problem_set *set, const struct dg_draft *d,
                                   enum dg_draft_kind kind, const char *name, struct t2_err *err)
{
    static enum t2_status (*const make[])(const struct dg_file_context *, const struct dg_draft *,
                                          struct dg_problem *, struct t2_err *) = {
        [DG_DRAFT_TRANSLATION] = dg_kind_translation,
        [DG_DRAFT_ROWS] = dg_kind_rows,
        [DG_DRAFT_MIXTURE] = dg_kind_mixture,
        [DG_DRAFT_REFUSED] = dg_kind_refused,
    };
    struct dg_file_context c = context_of(set);
    struct dg_problem *p = &set->table[set->n_table];

    if (kind == DG_DRAFT_OWN_TEXT) {
        T2_TRY(dg_own_text_file_new(&c, d, name, &p, err));
        set->own[set->n_own++] = p;
    } else {
        p->name = name;
        T2_TRY(make[kind](&c, d, p, err));
        p->summary = p->summary ? p->summary : "a problem of your own";
        set->n_table++;
    }
    set->family_of[set->n] = d->family;
    set->problems[set->n++] = p;
    return T2_OK;
}

static enum t2_status make_item(struct dg_problem_set *set, const struct item *item,
                                struct t2_err *err)
{
    struct dg_draft d = {0};
    enum dg_draft_kind kind;

    T2_TRY(spend(set, item, err));
    T2_TRY(draft_of(set, item, &d, err));
    T2_TRY(dg_draft_check(&d, set->path, &kind, err));
    for (size_t i = 0; i < item->n_names; i++)
        T2_TRY(make_problem(set, &d, kind, item->names[i], err));
    return T2_OK;
}

static enum t2_status make_problems(struct dg_problem_set *set, struct t2_err *err)
{
    bool is_list = t2_json_get(t2_json_root(set->doc), "problems") != NULL;

    set->table = dg_file_alloc(&set->memory, set->n, sizeof *set->table);
    set->own = dg_file_alloc(&set->memory, set->n, sizeof *set->own);
    set->problems = dg_file_alloc(&set->memory, set->n, sizeof *set->problems);
    set->family_of = dg_file_alloc(&set->memory, set->n, sizeof *set->family_of);
    set->families = dg_file_alloc(&set->memory, set->n, sizeof *set->families);
    set->n = 0;
    for (size_t i = 0; i < set->n_items; i++) {
        enum t2_status st = make_item(set, &set->items[i], err);
        if (st != T2_OK)
            return is_list ? t2_wrap(err, "problem '%s'", set->items[i].names[0]) : st;
    }
    return T2_OK;
}

static bool same_family(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* Text of one's own is not in the table, where the problems of a family lie side by side. */
static void find_families(struct dg_problem_set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        struct dg_family *last = &set->families[set->n_families];
        const struct dg_problem *p = set->problems[i];
        bool is_in_table = p >= set->table && p < set->table + set->n_table;

        if (!set->family_of[i] || !is_in_table)
            continue;
        if (set->n_families && i > 0 && same_family(set->family_of[i], set->family_of[i - 1]) &&
            last[-1].problems + last[-1].n == p) {
            last[-1].n++;
            continue;
        }
        *last = (struct dg_family){set->family_of[i], p, 1};
        set->n_families++;
    }
}

/* ---- the set
 * --------------------------------------------------------------------------------- */

enum t2_status dg_problem_set_parse(const char *text, size_t len_bytes, const char *path,
                                    struct dg_problem_set **set, struct t2_err *err)
{
    struct dg_problem_set *s = t2_alloc(1, sizeof *s);
    enum t2_status st;

    *set = NULL;
    s->path = t2_strdup(path);
    s->names = t2_map_new();
    t2_budget_init(&s->values, "the problems", "values", VALUES_ANYWAY, VALUES_A_BYTE, len_bytes);
    st = t2_yaml_parse(text, len_bytes, path, &s->doc, err);
    if (st == T2_OK)
        st = read_items(s, err);
    if (st == T2_OK)
        st = make_problems(s, err);
    if (st != T2_OK) {
        dg_problem_set_free(s);
        return strstr(err->message, path) ? err->status : t2_wrap(err, "'%s'", path);
    }
    find_families(s);
    *set = s;
    return T2_OK;
}

void dg_problem_set_free(struct dg_problem_set *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->n_own; i++)
        dg_own_text_free(set->own[i]);
    dg_file_memory_release(&set->memory);
    t2_map_free(set->names);
    t2_free(set->items);
    t2_json_free(set->doc);
    t2_free(set->path);
    t2_free(set);
}

size_t dg_problem_set_count(const struct dg_problem_set *set)
{
    return set->n;
}

const struct dg_problem *dg_problem_set_at(const struct dg_problem_set *set, size_t i)
{
    return i < set->n ? set->problems[i] : NULL;
}

const struct dg_family *dg_problem_set_family(const struct dg_problem_set *set, size_t i)
{
    return i < set->n_families ? &set->families[i] : NULL;
}
