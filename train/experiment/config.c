/*
 * train/experiment/config.c - the tree of fields of an experiment: made of tables, merged with
 * YAML, read, walked.
 *
 * Model Garden's hyperparams.Config: nested dataclasses that configuration files and overrides are
 * merged into, in order, and in which only known fields may stand.  Here a node per field or group,
 * children sorted by name; each leaf has a row of a table (config.h: type, default, what becomes of
 * it).  A group that may be null, a choice (`type: sgd` beside the group `sgd:`), and a list of one
 * group are types of their own.  After exp_config_settle a field marked EXP_FIXED keeps the value
 * it has then.
 */
#include "train/experiment/config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

struct node {
    char *name, *path;
    const struct exp_field *field; /* NULL: a group without a row of its own */
    struct exp_value value, settled;
    bool is_group, is_null; /* EXP_T_GROUP begins as null */
    bool was_read;
    struct node **children; /* sorted by name */
    size_t n;
};

struct exp_config {
    struct node root;
    bool is_settled; /* EXP_FIXED holds */
};

/* ---- making the tree ---- */

static struct node *child_of(const struct node *node, const char *name, size_t len_bytes)
{
    for (size_t i = 0; i < node->n; i++)
        if (strlen(node->children[i]->name) == len_bytes &&
            memcmp(node->children[i]->name, name, len_bytes) == 0)
            return node->children[i];
    return NULL;
}

static struct node *add_child(struct node *node, const char *name, size_t len_bytes)
{
    struct node *child = t2_alloc(1, sizeof *child);
    size_t at = node->n;

    child->name = t2_strndup(name, len_bytes);
    child->path =
        !node->path ? t2_strdup(child->name) : t2_asprintf("%s.%s", node->path, child->name);
    node->children = t2_realloc(node->children, node->n + 1, sizeof *node->children);
    while (at > 0 && strcmp(node->children[at - 1]->name, child->name) > 0) {
        node->children[at] = node->children[at - 1];
        at--;
    }
    node->children[at] = child;
    node->n++;
    node->is_group = true;
    return child;
}

/* The node of a path, made where it is not there. */
static struct node *reach(struct node *node, const char *path)
{
    while (*path != '\0') {
        size_t n = strcspn(path, ".");
        struct node *child = child_of(node, path, n);

        node = child ? child : add_child(node, path, n);
        path += n + (path[n] == '.');
    }
    return node;
}

static unsigned type_of(const struct node *node)
{
    return node->field ? node->field->type & EXP_T_MASK : EXP_T_GROUP;
}

/* The default of a row; a table that is not YAML is a programmer's mistake. */
static void set_default(struct node *node)
{
    struct t2_yaml_node *tree = NULL;
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    if (type_of(node) == EXP_T_GROUP || type_of(node) == EXP_T_ONE) {
        node->is_group = node->is_null = true;
        return;
    }
    st = t2_yaml_tree(node->field->value, strlen(node->field->value), node->path, &tree, &err);
    if (st == T2_OK && tree)
        st = exp_value_read(tree, node->path, &node->value, &err);
    T2_ASSERT(st == T2_OK);
    t2_yaml_free(tree);
}

struct exp_config *exp_config_new(const struct exp_table *tables, size_t n_tables)
{
    struct exp_config *c = t2_alloc(1, sizeof *c);

    for (size_t t = 0; t < n_tables; t++) {
        struct node *top = reach(&c->root, tables[t].prefix);

        for (size_t i = 0; i < tables[t].n; i++) {
            struct node *node = reach(top, tables[t].fields[i].path);

            T2_ASSERT(!node->field);
            node->field = &tables[t].fields[i];
            set_default(node);
        }
    }
    return c;
}

static void release(struct node *node)
{
    for (size_t i = 0; i < node->n; i++) {
        release(node->children[i]);
        t2_free(node->children[i]);
    }
    t2_free(node->children);
    t2_free(node->name);
    t2_free(node->path);
    exp_value_release(&node->value);
    exp_value_release(&node->settled);
}

void exp_config_free(struct exp_config *c)
{
    if (!c)
        return;
    release(&c->root);
    t2_free(c);
}

static void settle(struct node *node)
{
    exp_value_release(&node->settled);
    node->settled = exp_value_copy(&node->value);
    for (size_t i = 0; i < node->n; i++)
        settle(node->children[i]);
}

void exp_config_settle(struct exp_config *c)
{
    settle(&c->root);
    c->is_settled = true;
}

/* ---- types ---- */

static bool all_items(const struct exp_value *v, bool (*is)(const struct exp_value *))
{
    for (size_t i = 0; i < v->n; i++)
        if (!is(&v->items[i]))
            return false;
    return v->kind == EXP_LIST;
}

static bool is_int(const struct exp_value *v)
{
    return v->kind == EXP_INT;
}

static bool is_number(const struct exp_value *v)
{
    return v->kind == EXP_INT || v->kind == EXP_FLOAT;
}

static bool is_string(const struct exp_value *v)
{
    return v->kind == EXP_STRING;
}

static bool is_bool(const struct exp_value *v)
{
    return v->kind == EXP_BOOL;
}

static bool fits(unsigned type, const struct exp_value *v)
{
    if (v->kind == EXP_NULL && (type & EXP_T_OR_NULL))
        return true;
    switch (type & EXP_T_MASK) {
    case EXP_T_BOOL:
        return is_bool(v);
    case EXP_T_INT:
        return is_int(v);
    case EXP_T_NUMBER:
        return is_number(v);
    case EXP_T_STRING:
        return is_string(v);
    case EXP_T_INTS:
        return all_items(v, is_int);
    case EXP_T_NUMBERS:
        return all_items(v, is_number);
    case EXP_T_STRINGS:
        return all_items(v, is_string);
    case EXP_T_PATHS:
        return is_string(v) || all_items(v, is_string);
    case EXP_T_SCALE:
        return is_number(v) || is_string(v);
    case EXP_T_CHOICE:
        return is_string(v) || v->kind == EXP_NULL;
    default:
        return v->kind == EXP_NULL;
    }
}

static const char *type_name(unsigned type)
{
    static const char *const names[] = {"true or false",
                                        "an integer",
                                        "a number",
                                        "a text",
                                        "a list of integers",
                                        "a list of numbers",
                                        "a list of texts",
                                        "a text or a list of texts",
                                        "a number or a text",
                                        "the name of an alternative",
                                        "a group of fields",
                                        "null",
                                        "a list of at most one group of fields"};

    return names[type & EXP_T_MASK];
}

/* ---- setting ---- */

/* Origin of a value, for messages: file or flag, line, column. */
struct place {
    const char *origin;
    size_t line, column;
    bool check_fixed;
};

static enum t2_status fail_at(const struct place *at, struct t2_err *err, const char *text)
{
    return t2_fail(err, T2_EUSAGE, "'%s': line %zu, column %zu: %s", at->origin, at->line,
                   at->column, text);
}

T2_PRINTF(3, 4)
static enum t2_status complain(const struct place *at, struct t2_err *err, const char *format, ...)
{
    char text[800];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return fail_at(at, err, text);
}

/*
 * A valid field and value that this program cannot do: another status than a mistake in the file.
 */
static enum t2_status not_supported(struct t2_err *err)
{
    return err->status = T2_EUNSUPPORTED;
}

static enum t2_status not_built(const struct node *node, const struct place *at, struct t2_err *err)
{
    complain(at, err, "%s: %s", node->path, node->field->note);
    return not_supported(err);
}

static enum t2_status unknown_field(const struct node *group, const char *name, size_t len_bytes,
                                    const struct place *at, struct t2_err *err)
{
    const char *names[128];
    size_t n = 0;
    char *word = t2_strndup(name, len_bytes);
    const char *near;
    enum t2_status st;

    for (; n < group->n && n < sizeof names / sizeof *names; n++)
        names[n] = group->children[n]->name;
    near = t2_nearest(word, names, n);
    st = complain(at, err, "there is no field '%s%s%s'%s%s%s", group->path ? group->path : "",
                  group->path ? "." : "", word, near ? "; did you mean '" : "", near ? near : "",
                  near ? "'?" : "");
    t2_free(word);
    return st;
}

/* `type` of a choice must name a group beside it. */
static enum t2_status check_choice(const struct node *parent, const struct node *node,
                                   const struct exp_value *v, const struct place *at,
                                   struct t2_err *err)
{
    struct t2_buf list = {0};
    const struct node *chosen;
    enum t2_status st;

    if (v->kind == EXP_NULL)
        return T2_OK;
    chosen = child_of(parent, v->s, strlen(v->s));
    if (chosen && chosen->is_group)
        return T2_OK;
    if (chosen && chosen != node) {
        complain(at, err, "%s=%s: %s", node->path, v->s, chosen->field->note);
        return not_supported(err);
    }
    for (size_t i = 0; i < parent->n; i++)
        if (parent->children[i]->is_group)
            t2_buf_printf(&list, "%s%s", list.len_bytes > 0 ? ", " : "", parent->children[i]->name);
    st = complain(at, err, "%s is one of %s; not '%s'", node->path, t2_buf_cstr(&list), v->s);
    t2_buf_release(&list);
    return st;
}

static enum t2_status wrong_type(const struct node *node, const struct exp_value *v,
                                 const struct place *at, struct t2_err *err)
{
    struct t2_buf text = {0};
    bool or_null = node->field && (node->field->type & EXP_T_OR_NULL);
    enum t2_status st;

    exp_value_put(&text, v);
    if (type_of(node) == EXP_T_NULL) {
        complain(at, err, "%s=%s: %s", node->path, t2_buf_cstr(&text), node->field->note);
        st = not_supported(err);
    } else {
        st = complain(at, err, "%s must be %s%s, not %s", node->path,
                      type_name(node->field ? node->field->type : EXP_T_GROUP),
                      or_null ? ", or null" : "", t2_buf_cstr(&text));
    }
    t2_buf_release(&text);
    return st;
}

static enum t2_status check_fixed(const struct node *node, const struct exp_value *v,
                                  const struct place *at, struct t2_err *err)
{
    struct t2_buf text = {0}, wanted = {0};
    enum t2_status st;

    if (node->field->use != EXP_FIXED || !at->check_fixed || exp_value_equal(v, &node->settled))
        return T2_OK;
    exp_value_put(&text, v);
    exp_value_put(&wanted, &node->settled);
    complain(at, err, "%s=%s: only %s is possible here: %s", node->path, t2_buf_cstr(&text),
             t2_buf_cstr(&wanted), node->field->note);
    st = not_supported(err);
    t2_buf_release(&text);
    t2_buf_release(&wanted);
    return st;
}

static enum t2_status set_value(const struct node *parent, struct node *node,
                                const struct t2_yaml_node *tree, const struct place *at,
                                struct t2_err *err)
{
    struct exp_value v;
    enum t2_status st = T2_OK;

    T2_TRY(exp_value_read(tree, at->origin, &v, err));
    if (node->is_group) { /* only null can stand for a group */
        if (v.kind != EXP_NULL || !node->field)
            st = wrong_type(node, &v, at, err);
        else
            node->is_null = true;
        exp_value_release(&v);
        return st;
    }
    if (!fits(node->field->type, &v))
        st = wrong_type(node, &v, at, err);
    if (st == T2_OK && type_of(node) == EXP_T_CHOICE)
        st = check_choice(parent, node, &v, at, err);
    if (st == T2_OK)
        st = check_fixed(node, &v, at, err);
    if (st != T2_OK) {
        exp_value_release(&v);
        return st;
    }
    exp_value_release(&node->value);
    node->value = v;
    return T2_OK;
}

static enum t2_status merge(struct node *group, const struct t2_yaml_node *mapping,
                            const struct place *from, struct t2_err *err);

/* As the original, which merges the members of the new list into those that are there. */
static enum t2_status set_one(struct node *node, const struct t2_yaml_node *tree,
                              const struct place *at, struct t2_err *err)
{
    if (tree->kind != T2_YAML_LIST || tree->n > 1 ||
        (tree->n == 1 && tree->items[0].kind != T2_YAML_MAPPING))
        return complain(at, err, "%s must be %s, like [{...}]", node->path,
                        type_name(node->field->type));
    node->is_null = tree->n == 0;
    return node->is_null ? T2_OK : merge(node, &tree->items[0], at, err);
}

static enum t2_status set_node(const struct node *parent, struct node *node,
                               const struct t2_yaml_node *tree, const struct place *at,
                               struct t2_err *err)
{
    if (type_of(node) == EXP_T_ONE)
        return set_one(node, tree, at, err);
    if (tree->kind != T2_YAML_MAPPING)
        return set_value(parent, node, tree, at, err);
    if (!node->is_group && type_of(node) == EXP_T_NULL)
        return not_built(node, at, err);
    if (!node->is_group)
        return complain(at, err, "%s must be %s, not a group of fields", node->path,
                        type_name(node->field->type));
    node->is_null = false;
    return merge(node, tree, at, err);
}

static enum t2_status merge(struct node *group, const struct t2_yaml_node *mapping,
                            const struct place *from, struct t2_err *err)
{
    for (size_t i = 0; i < mapping->n; i++) {
        const struct t2_yaml_node *item = &mapping->items[i];
        struct place at = {from->origin, item->key_line, item->key_column, from->check_fixed};
        struct node *child = child_of(group, item->key, strlen(item->key));

        if (!child)
            return unknown_field(group, item->key, strlen(item->key), &at, err);
        T2_TRY(set_node(group, child, item, &at, err));
    }
    return T2_OK;
}

enum t2_status exp_config_merge(struct exp_config *c, const struct t2_yaml_node *mapping,
                                const char *origin, struct t2_err *err)
{
    struct place from = {.origin = origin, .check_fixed = c->is_settled};

    if (!mapping)
        return T2_OK;
    if (mapping->kind != T2_YAML_MAPPING)
        return t2_fail(err, T2_EUSAGE,
                       "'%s': line %zu, column %zu: fields were expected, like "
                       "'trainer: {train_steps: 1000}'",
                       origin, mapping->line, mapping->column);
    return merge(&c->root, mapping, &from, err);
}

enum t2_status exp_config_set(struct exp_config *c, const char *path,
                              const struct t2_yaml_node *value, const char *origin,
                              struct t2_err *err)
{
    struct place at = {origin, value->line, value->column, c->is_settled};
    struct node *node = &c->root, *parent = node;

    for (;;) {
        size_t n = strcspn(path, ".");
        struct node *child = child_of(node, path, n);

        if (!child)
            return unknown_field(node, path, n, &at, err);
        node->is_null = false;
        parent = node;
        node = child;
        if (path[n] == '\0')
            return set_node(parent, node, value, &at, err);
        if (!node->is_group && type_of(node) == EXP_T_NULL)
            return not_built(node, &at, err);
        if (!node->is_group || type_of(node) == EXP_T_ONE)
            return complain(&at, err, "%s has no fields: it is %s", node->path,
                            type_name(node->field->type));
        path += n + 1;
    }
}

/* ---- reading ---- */

static struct node *find(const struct exp_config *c, const char *path)
{
    const struct node *parent = &c->root;
    struct node *node = NULL;

    do {
        size_t n = strcspn(path, ".");

        node = child_of(parent, path, n);
        T2_ASSERT(node);
        parent = node;
        path += n + (path[n] == '.');
    } while (*path != '\0');
    return node;
}

const struct exp_value *exp_config_get(const struct exp_config *c, const char *path)
{
    struct node *node = find(c, path);

    T2_ASSERT(!node->is_group);
    node->was_read = true;
    return &node->value;
}

bool exp_config_bool(const struct exp_config *c, const char *path)
{
    return exp_config_get(c, path)->b;
}

int64_t exp_config_int(const struct exp_config *c, const char *path)
{
    return exp_config_get(c, path)->i;
}

double exp_config_number(const struct exp_config *c, const char *path)
{
    const struct exp_value *v = exp_config_get(c, path);

    return v->kind == EXP_INT ? (double) v->i : v->kind == EXP_FLOAT ? v->f : (double) NAN;
}

const char *exp_config_string(const struct exp_config *c, const char *path)
{
    return exp_config_get(c, path)->s;
}

bool exp_config_is_null(const struct exp_config *c, const char *path)
{
    struct node *node = find(c, path);

    node->was_read = true;
    return node->is_group ? node->is_null : node->value.kind == EXP_NULL;
}

bool exp_config_was_read(const struct exp_config *c, const char *path)
{
    return find(c, path)->was_read;
}

/* ---- walking ---- */

/* The choice of a group that is one of several; NULL when it is not. */
static const struct node *choice_in(const struct node *group)
{
    const struct node *type = child_of(group, "type", 4);

    return type && !type->is_group && type_of(type) == EXP_T_CHOICE ? type : NULL;
}

/* The list of one group as a value, owned by the caller; *changed: not as it was settled. */
static struct exp_value list_of_one(const struct node *node, bool *changed)
{
    struct exp_value map = {.kind = EXP_MAP}, list = {.kind = EXP_LIST};

    *changed = node->is_null;
    if (node->is_null)
        return list;
    map.items = t2_alloc(node->n, sizeof *map.items);
    for (size_t i = 0; i < node->n; i++) {
        const struct node *child = node->children[i];

        *changed |= !exp_value_equal(&child->value, &child->settled);
        map.items[map.n] = exp_value_copy(&child->value);
        map.items[map.n++].key = t2_strdup(child->name);
    }
    list.items = t2_alloc(1, sizeof *list.items);
    list.items[list.n++] = map;
    return list;
}

static void visit(const struct node *group, int depth, exp_visit_fn fn, void *context)
{
    const struct node *choice = choice_in(group);

    for (size_t i = 0; i < group->n; i++) {
        const struct node *child = group->children[i];
        static const struct exp_value null = {0};

        if (choice && child != choice &&
            (choice->value.kind == EXP_NULL || strcmp(child->name, choice->value.s) != 0))
            continue;
        if (child->is_group && type_of(child) == EXP_T_ONE) {
            bool changed;
            struct exp_value list = list_of_one(child, &changed);

            fn(context, depth, child->name, child->path, child->field, &list, changed);
            exp_value_release(&list);
        } else if (child->is_group && !child->is_null) {
            fn(context, depth, child->name, child->path, NULL, NULL, false);
            visit(child, depth + 1, fn, context);
        } else {
            fn(context, depth, child->name, child->path, child->field,
               child->is_group ? &null : &child->value,
               !exp_value_equal(&child->value, &child->settled));
        }
    }
}

void exp_config_visit(const struct exp_config *c, exp_visit_fn fn, void *context)
{
    visit(&c->root, 0, fn, context);
}
