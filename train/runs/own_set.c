/*
 * train/runs/own_set.c - from a user's file to a registered set and changes of it.
 */
#include "train/runs/own_set.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/yaml_tree.h"
#include "train/models/hparams.h"
#include "train/models/layer_file.h"

enum { MOST_BYTES = 1 << 20, MOST_BASES = 8 };

static const char end_of_sets[] = ".hparams.yaml";

static const struct t2_yaml_node *member(const struct t2_yaml_node *mapping, const char *key)
{
    for (size_t i = 0; mapping && mapping->kind == T2_YAML_MAPPING && i < mapping->n; i++)
        if (strcmp(mapping->items[i].key, key) == 0)
            return &mapping->items[i];
    return NULL;
}

/* ---- names that are given already ---- */

/* The names of "a=1,b=[2,3],c=4"; what it says wrongly is found by its own reader. */
static void put_names(const char *clauses, struct t2_strs *names)
{
    for (const char *at = clauses; *at != '\0';) {
        size_t n = strcspn(at, "=[,"), rest;
        char *name = t2_strndup(at, n);

        t2_strs_push(names, name);
        t2_free(name);
        rest = strcspn(at, "[,");
        if (at[rest] == '[') /* commas in a list are its own */
            rest += strcspn(at + rest, "]");
        rest += strcspn(at + rest, ",");
        at += rest + (at[rest] != '\0');
    }
}

/* ---- a file ---- */

struct reading {
    const char *path;
    struct t2_strs taken; /* names whose values stand */
    struct t2_buf clauses;
    char *base;
    struct t2_err *err;
};

static enum t2_status fail_at(const struct reading *r, size_t line, const char *what)
{
    return t2_fail(r->err, T2_EFORMAT, "'%s': line %zu: %s", r->path, line, what);
}

static enum t2_status put_scalar(struct reading *r, const struct t2_yaml_node *value)
{
    if (value->kind != T2_YAML_SCALAR || value->tag || value->text[0] == '\0' ||
        strpbrk(value->text, ",[]=") != NULL)
        return fail_at(r, value->line,
                       "an hparam is a number, a word without , [ ] =, or a list of numbers");
    t2_buf_puts(&r->clauses, value->text);
    return T2_OK;
}

static enum t2_status put_clause(struct reading *r, const struct t2_yaml_node *value)
{
    if (value->key[0] == '\0' || strpbrk(value->key, ",[]= "))
        return fail_at(r, value->key_line, "the name of an hparam is a word");
    t2_buf_printf(&r->clauses, "%s%s=", r->clauses.len_bytes > 0 ? "," : "", value->key);
    if (value->kind != T2_YAML_LIST)
        return put_scalar(r, value);
    t2_buf_push(&r->clauses, '[');
    for (size_t i = 0; i < value->n; i++) {
        t2_buf_puts(&r->clauses, i > 0 ? "," : "");
        T2_TRY(put_scalar(r, &value->items[i]));
    }
    t2_buf_push(&r->clauses, ']');
    return T2_OK;
}

static enum t2_status check_keys(const struct reading *r, const struct t2_yaml_node *root)
{
    for (size_t i = 0; root && i < root->n && root->kind == T2_YAML_MAPPING; i++) {
        const struct t2_yaml_node *m = &root->items[i];
        bool hparams = strcmp(m->key, "hparams") == 0, ranges = strcmp(m->key, "ranges") == 0;

        if (!hparams && !ranges && strcmp(m->key, "base") != 0)
            return fail_at(r, m->key_line, "an hparams set has base, hparams and ranges");
        if ((hparams || ranges) && m->kind != T2_YAML_MAPPING)
            return fail_at(r, m->line, "hparams and ranges are names with values");
    }
    return T2_OK;
}

/* Changes of names that are not taken; then they are. */
static enum t2_status take(struct reading *r, const struct t2_yaml_node *root, bool searched)
{
    const struct t2_yaml_node *hparams = member(root, "hparams"), *ranges = member(root, "ranges");
    const struct t2_yaml_node *base = member(root, "base");

    T2_TRY(check_keys(r, root));
    if (!base || base->kind != T2_YAML_SCALAR)
        return fail_at(r, 1, "an hparams set has base: NAME, a registered set");
    for (size_t i = 0; searched && ranges && i < ranges->n; i++)
        t2_strs_push(&r->taken, ranges->items[i].key);
    for (size_t i = 0; hparams && i < hparams->n; i++) {
        if (t2_strs_contains(&r->taken, hparams->items[i].key))
            continue;
        T2_TRY(put_clause(r, &hparams->items[i]));
        t2_strs_push(&r->taken, hparams->items[i].key);
    }
    t2_free(r->base);
    r->base = t2_strdup(base->text);
    return T2_OK;
}

static enum t2_status read_file(struct reading *r, const char *path, bool searched)
{
    struct t2_yaml_node *root = NULL;
    struct t2_buf text = {0};
    enum t2_status st;

    r->path = path;
    st = t2_read_file(path, MOST_BYTES, &text, r->err);
    if (st == T2_OK)
        st = t2_yaml_tree(t2_buf_cstr(&text), text.len_bytes, path, &root, r->err);
    if (st == T2_OK)
        st = take(r, root, searched);
    t2_yaml_free(root);
    t2_buf_release(&text);
    return st;
}

/* The file, and those that it is based on, which lie beside it. */
static enum t2_status read_chain(struct reading *r, const char *first, bool searched)
{
    char *path = t2_strdup(first);
    enum t2_status st = T2_OK;

    for (int i = 0; st == T2_OK; i++) {
        st = read_file(r, path, searched);
        if (st != T2_OK || !mdl_is_layer_file(r->base))
            break;
        if (i == MOST_BASES) {
            st = fail_at(r, 1, "its bases go in a circle");
        } else {
            char *dir = t2_path_dir(path);

            t2_free(path);
            path = t2_path_join(dir, r->base);
            t2_free(dir);
        }
    }
    t2_free(path);
    return st;
}

/* Of the base alone; changes are checked where a run takes them. */
static enum t2_status check_base(const struct reading *r, const char *path)
{
    struct mdl_hparams *hp = NULL;
    enum t2_status st = mdl_hparams_new(r->base, &hp, r->err);

    mdl_hparams_free(hp);
    return st == T2_OK ? st : t2_wrap(r->err, "'%s'", path);
}

enum t2_status tr_own_set_read(const char *name, const char *usr_dir, const char *given,
                               bool searched, struct tr_own_set *set, struct t2_err *err)
{
    struct reading r = {.err = err};
    char *path = NULL;
    enum t2_status st = T2_OK;

    *set = (struct tr_own_set){0};
    if (name && mdl_is_layer_file(name)) {
        path = t2_path_expand(name);
    } else if (name && usr_dir && usr_dir[0] != '\0') {
        char *dir = t2_path_expand(usr_dir);

        path = t2_asprintf("%s/%s%s", dir, name, end_of_sets);
        t2_free(dir);
        if (!t2_exists(path)) {
            t2_free(path);
            path = NULL;
        }
    }
    if (!path)
        return T2_OK;
    if (given && given[0] != '\0') {
        t2_buf_puts(&r.clauses, given);
        put_names(given, &r.taken);
    }
    st = read_chain(&r, path, searched);
    if (st == T2_OK)
        st = check_base(&r, path);
    if (st == T2_OK)
        *set = (struct tr_own_set){.base = t2_strdup(r.base),
                                   .hparams = t2_strdup(t2_buf_cstr(&r.clauses))};
    t2_free(r.base);
    t2_buf_release(&r.clauses);
    t2_strs_release(&r.taken);
    t2_free(path);
    return st;
}

void tr_own_set_release(struct tr_own_set *set)
{
    t2_free(set->base);
    t2_free(set->hparams);
}

enum t2_status tr_list_own_sets(const char *usr_dir, struct t2_strs *names, struct t2_err *err)
{
    char *dir = t2_path_expand(usr_dir);
    struct t2_strs files = {0};
    enum t2_status st = t2_list_dir(dir, &files, err);

    t2_free(dir);
    if (st != T2_OK)
        return t2_wrap(err, "--t2t_usr_dir");
    t2_strs_sort(&files);
    for (size_t i = 0; i < files.n; i++) {
        size_t n = strlen(files.items[i]);

        if (n > sizeof end_of_sets - 1 && t2_ends_with(files.items[i], end_of_sets))
            t2_strs_take(names, t2_strndup(files.items[i], n - (sizeof end_of_sets - 1)));
    }
    t2_strs_release(&files);
    return T2_OK;
}
