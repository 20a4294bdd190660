/*
 * train/models/layer_file_parse.c - from the tree of a layer file to a list of layers.
 *
 *   file    = { name, parameters, defaults, layers, loss }
 *   layers  = [ { layer | loop | block } ]
 *   layer   = type | {type: settings} | {type: value}
 *   loop    = {repeat: number, layers} | {for: {variable: [values], …}, layers}
 *   block   = {residual: layers} | {residual: {shortcut: layers, layers, activation}}
 *           | {add: [layers, …]} | {concat: [layers, …]}
 *
 * Loops are unrolled here.  The list is in the order in which the graph is built, which is that of
 * the text; a layer names the layers that it reads by their places.  Names without `name:` are
 * counted by type over the whole list, as TensorFlow does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/map.h"
#include "train/models/hparams_store.h"
#include "train/models/layer_file_settings.h"

/* Loops stand for more layers than there are bytes: so many items are worked off. */
enum { ITEMS_ANYWAY = 20000, ITEMS_A_BYTE = 1, MOST_TITLE = 200 };

struct parser {
    struct mdl_layer_net *net;
    struct mdl_scope scope;
    const struct t2_yaml_node *defaults; /* NULL: none */
    struct t2_map *names;
    struct t2_budget items;
    int counts[MDL_LAYER_N_TYPES];
    int group, n_groups; /* of the block that is open, 0 for none; so far */
    struct t2_err *err;
};

static const struct t2_yaml_node *member(const struct t2_yaml_node *mapping, const char *key)
{
    for (size_t i = 0; mapping->kind == T2_YAML_MAPPING && i < mapping->n; i++)
        if (strcmp(mapping->items[i].key, key) == 0)
            return &mapping->items[i];
    return NULL;
}

static enum t2_status check_keys(const struct parser *p, const struct t2_yaml_node *mapping,
                                 const char *const *keys, const char *what)
{
    struct t2_buf known = {0};

    for (size_t i = 0; i < mapping->n; i++) {
        const char *const *k = keys;

        while (*k && strcmp(*k, mapping->items[i].key) != 0)
            k++;
        if (*k)
            continue;
        for (k = keys; *k; k++)
            t2_buf_printf(&known, "%s%s", k > keys ? ", " : "", *k);
        t2_fail(p->err, T2_EFORMAT, "line %zu: %s has no '%.60s'; it has %s",
                mapping->items[i].key_line, what, mapping->items[i].key, t2_buf_cstr(&known));
        t2_buf_release(&known);
        return T2_EFORMAT;
    }
    return T2_OK;
}

/* ---- layers ---- */

static enum t2_status check_name(struct parser *p, const struct mdl_layer *l)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
    const char *why = NULL;
    bool inserted;

    t2_map_at(p->names, l->name, strlen(l->name), &inserted);
    if (l->name[0] == '\0' || l->name[strspn(l->name, allowed)] != '\0' || l->name[0] == '/')
        why = "is no name: letters, digits, _ . / -";
    else if (!inserted)
        why = "is there twice; in a loop a name has {index} in it, or is left out";
    if (why)
        return t2_fail(p->err, T2_EFORMAT, "line %zu: the name '%.100s' %s", l->line, l->name, why);
    return T2_OK;
}

static enum t2_status name_layer(struct parser *p, struct mdl_layer *l,
                                 const struct t2_yaml_node *name)
{
    int n;

    if (name) {
        T2_TRY(mdl_scope_name(&p->scope, name, l->name, p->err));
        return check_name(p, l);
    }
    n = p->counts[l->type]++;
    snprintf(l->name, sizeof l->name, n > 0 ? "%s_%d" : "%s", mdl_layer_default_name(l->type), n);
    return check_name(p, l);
}

/* *current becomes its place. */
static enum t2_status push(struct parser *p, struct mdl_layer *l, int *current)
{
    struct mdl_layer_net *net = p->net;

    if (net->n == MDL_LAYER_MOST)
        return t2_fail(p->err, T2_EFORMAT, "line %zu: more than %d layers", l->line,
                       MDL_LAYER_MOST);
    if (net->n == net->capacity) {
        net->capacity = net->capacity ? 2 * net->capacity : 32;
        net->layers = t2_realloc(net->layers, (size_t) net->capacity, sizeof *net->layers);
    }
    l->group = p->group;
    net->layers[net->n] = *l;
    *current = net->n++;
    return T2_OK;
}

/* Settings of `defaults` for the type, then the layer's own; keys in `others` are the caller's. */
static enum t2_status apply(struct parser *p, struct mdl_layer *l,
                            const struct t2_yaml_node *settings, const char *const *others)
{
    enum mdl_activation ignored;
    enum mdl_layer_type type;

    for (size_t i = 0; p->defaults && i < p->defaults->n; i++) {
        const struct t2_yaml_node *d = &p->defaults->items[i];

        if (!mdl_layer_find_type(d->key, &type, &ignored) || type != l->type)
            continue;
        for (size_t k = 0; k < d->n; k++)
            T2_TRY(mdl_layer_set(l, &p->scope, &d->items[k], p->err));
    }
    for (size_t i = 0; settings && i < settings->n; i++) {
        const char *const *k = others;

        while (*k && strcmp(*k, settings->items[i].key) != 0)
            k++;
        if (!*k)
            T2_TRY(mdl_layer_set(l, &p->scope, &settings->items[i], p->err));
    }
    return T2_OK;
}

static enum t2_status unknown_layer(const struct parser *p, size_t line, const char *name)
{
    struct t2_buf known = {0};

    mdl_layer_put_types(&known);
    t2_fail(p->err, T2_EFORMAT, "line %zu: there is no layer '%.60s'; there are %s", line, name,
            t2_buf_cstr(&known));
    t2_buf_release(&known);
    return T2_EFORMAT;
}

/* value: settings, one value, or NULL. */
static enum t2_status take_layer(struct parser *p, const char *type_name,
                                 const struct t2_yaml_node *value, size_t line, int *current)
{
    static const char *const others[] = {"name", NULL};
    const struct t2_yaml_node *settings = NULL;
    enum mdl_activation activation;
    enum mdl_layer_type type;
    struct mdl_layer l;

    if (!mdl_layer_find_type(type_name, &type, &activation))
        return unknown_layer(p, line, type_name);
    mdl_layer_set_defaults(&l, type);
    l.line = line;
    l.activation = activation;
    l.inputs[0] = *current;
    l.n_inputs = 1;
    if (value && value->kind == T2_YAML_MAPPING)
        settings = value;
    T2_TRY(apply(p, &l, settings, others));
    if (value && !settings && (value->kind == T2_YAML_LIST || value->text[0] != '\0'))
        T2_TRY(mdl_layer_set_first(&l, &p->scope, value, p->err));
    T2_TRY(name_layer(p, &l, settings ? member(settings, "name") : NULL));
    T2_TRY(mdl_layer_check_settings(&l, p->err));
    return push(p, &l, current);
}

/* ---- blocks ---- */

static enum t2_status take_list(struct parser *p, const struct t2_yaml_node *list, int *current);

static enum t2_status take_branch(struct parser *p, const struct t2_yaml_node *list, int from,
                                  struct mdl_layer *join)
{
    int at = from;

    if (list->kind != T2_YAML_LIST)
        return t2_fail(p->err, T2_EFORMAT, "line %zu: a branch is a list of layers", list->line);
    if (join->n_inputs == MDL_LAYER_MOST_INPUTS)
        return t2_fail(p->err, T2_EUNSUPPORTED, "line %zu: at most %d branches", list->line,
                       MDL_LAYER_MOST_INPUTS);
    T2_TRY(take_list(p, list, &at));
    join->inputs[join->n_inputs++] = at;
    return T2_OK;
}

/* Nodes of a block that stands in no other are of one group. */
static bool open_group(struct parser *p)
{
    if (p->group > 0)
        return false;
    p->group = ++p->n_groups;
    return true;
}

/* The layers, then the shortcut that is added to them; built in the order of the text. */
static enum t2_status take_residual(struct parser *p, const struct t2_yaml_node *value,
                                    struct mdl_layer *join, int from)
{
    static const char *const keys[] = {"layers", "shortcut", "name", "activation", NULL};
    static const char *const others[] = {"layers", "shortcut", "name", NULL};
    int inner = -1, shortcut = from;

    if (value->kind == T2_YAML_LIST) {
        T2_TRY(take_branch(p, value, from, join));
        join->inputs[join->n_inputs++] = from;
        return T2_OK;
    }
    if (value->kind != T2_YAML_MAPPING || !member(value, "layers"))
        return t2_fail(p->err, T2_EFORMAT,
                       "line %zu: residual is a list of layers, or {shortcut: […], layers: […]}",
                       value->line);
    T2_TRY(check_keys(p, value, keys, "residual"));
    T2_TRY(apply(p, join, value, others));
    for (size_t i = 0; i < value->n; i++) {
        const struct t2_yaml_node *m = &value->items[i];
        bool is_shortcut = strcmp(m->key, "shortcut") == 0;

        if (!is_shortcut && strcmp(m->key, "layers") != 0)
            continue;
        join->n_inputs = 0;
        T2_TRY(take_branch(p, m, from, join));
        *(is_shortcut ? &shortcut : &inner) = join->inputs[0];
    }
    join->inputs[0] = inner;
    join->inputs[1] = shortcut;
    join->n_inputs = 2;
    return T2_OK;
}

/* add, concat: a list of branches, or {branches: […], activation, name}. */
static enum t2_status take_branches(struct parser *p, const struct t2_yaml_node *value,
                                    struct mdl_layer *join, int from)
{
    static const char *const others[] = {"branches", "name", NULL};
    const struct t2_yaml_node *list =
        value->kind == T2_YAML_MAPPING ? member(value, "branches") : value;

    if (!list || list->kind != T2_YAML_LIST || list->n < 2)
        return t2_fail(p->err, T2_EFORMAT,
                       "line %zu: %s has a list of two or more branches, lists of layers",
                       value->line, mdl_layer_type_name(join));
    if (value->kind == T2_YAML_MAPPING)
        T2_TRY(apply(p, join, value, others));
    for (size_t i = 0; i < list->n; i++)
        T2_TRY(take_branch(p, &list->items[i], from, join));
    return T2_OK;
}

static enum t2_status take_block(struct parser *p, const struct t2_yaml_node *m, int *current)
{
    bool residual = strcmp(m->key, "residual") == 0, opened = open_group(p);
    enum mdl_activation ignored;
    enum mdl_layer_type type = MDL_LAYER_ADD;
    struct mdl_layer join;

    if (!residual)
        (void) mdl_layer_find_type(m->key, &type, &ignored);
    mdl_layer_set_defaults(&join, type);
    join.line = m->key_line;
    T2_TRY(residual ? take_residual(p, m, &join, *current) : take_branches(p, m, &join, *current));
    T2_TRY(name_layer(p, &join, m->kind == T2_YAML_MAPPING ? member(m, "name") : NULL));
    T2_TRY(push(p, &join, current));
    p->group = opened ? 0 : p->group;
    return T2_OK;
}

/* ---- loops ---- */

static enum t2_status set_variable(struct parser *p, const char *name, const char *text,
                                   size_t line)
{
    if (p->scope.n == MDL_SCOPE_MOST)
        return t2_fail(p->err, T2_EFORMAT, "line %zu: more than %d variables of loops", line,
                       MDL_SCOPE_MOST);
    p->scope.variables[p->scope.n].name = name;
    snprintf(p->scope.variables[p->scope.n].text, MDL_SCALAR_BYTES, "%s", text);
    p->scope.n++;
    return T2_OK;
}

/* The values of `for` that belong to one round. */
static enum t2_status set_round(struct parser *p, const struct t2_yaml_node *lists, int64_t round)
{
    char text[MDL_SCALAR_BYTES];

    for (size_t i = 0; lists && i < lists->n; i++) {
        const struct t2_yaml_node *list = &lists->items[i];

        T2_TRY(mdl_scope_text(&p->scope, &list->items[round], text, p->err));
        T2_TRY(set_variable(p, list->key, text, list->line));
    }
    snprintf(text, sizeof text, "%" PRId64, round);
    return set_variable(p, "index", text, 0);
}

/* *n: the rounds of `for`: its lists are equally long. */
static enum t2_status check_lists(const struct parser *p, const struct t2_yaml_node *lists,
                                  int64_t *n)
{
    if (lists->kind != T2_YAML_MAPPING || lists->n == 0)
        return t2_fail(p->err, T2_EFORMAT,
                       "line %zu: for has a list for each variable: {filters: [64, 128]}",
                       lists->line);
    for (size_t i = 0; i < lists->n; i++) {
        const struct t2_yaml_node *list = &lists->items[i];

        if (list->kind != T2_YAML_LIST || list->n != lists->items[0].n)
            return t2_fail(p->err, T2_EFORMAT,
                           "line %zu: '%.60s' is no list of as many values as '%.60s'", list->line,
                           list->key, lists->items[0].key);
    }
    *n = (int64_t) lists->items[0].n;
    return T2_OK;
}

static enum t2_status take_loop(struct parser *p, const struct t2_yaml_node *loop, int *current)
{
    static const char *const keys[] = {"repeat", "for", "layers", NULL};
    const struct t2_yaml_node *lists = member(loop, "for"), *times = member(loop, "repeat");
    const struct t2_yaml_node *layers = member(loop, "layers");
    int outer = p->scope.n;
    int64_t n = 0;

    T2_TRY(check_keys(p, loop, keys, "a loop"));
    if (!layers || layers->kind != T2_YAML_LIST || (lists && times))
        return t2_fail(p->err, T2_EFORMAT, "line %zu: a loop has repeat or for, and layers, a list",
                       loop->line);
    T2_TRY(lists ? check_lists(p, lists, &n)
                 : mdl_scope_int(&p->scope, times, "repeat", 0, MDL_LAYER_MOST, &n, p->err));
    for (int64_t i = 0; i < n; i++) {
        bool opened = open_group(p);

        T2_TRY(t2_budget_spend(&p->items, 1, p->err));
        T2_TRY(set_round(p, lists, i));
        T2_TRY(take_list(p, layers, current));
        p->scope.n = outer;
        p->group = opened ? 0 : p->group;
    }
    return T2_OK;
}

static enum t2_status take_item(struct parser *p, const struct t2_yaml_node *item, int *current)
{
    const struct t2_yaml_node *m;
    enum mdl_activation ignored;
    enum mdl_layer_type type;

    if (item->kind == T2_YAML_SCALAR)
        return take_layer(p, item->text, NULL, item->line, current);
    if (item->kind != T2_YAML_MAPPING || item->n == 0)
        return t2_fail(p->err, T2_EFORMAT, "line %zu: a layer is wanted here: conv2d: {…}, or relu",
                       item->line);
    if (member(item, "repeat") || member(item, "for"))
        return take_loop(p, item, current);
    m = &item->items[0];
    if (item->n > 1)
        return t2_fail(p->err, T2_EFORMAT,
                       "line %zu: '%.60s' and '%.60s' in one item: settings of a layer are "
                       "indented, or in { }",
                       item->items[1].key_line, m->key, item->items[1].key);
    if (strcmp(m->key, "residual") == 0)
        return take_block(p, m, current);
    if (mdl_layer_find_type(m->key, &type, &ignored) &&
        (type == MDL_LAYER_ADD || type == MDL_LAYER_CONCAT))
        return take_block(p, m, current);
    return take_layer(p, m->key, m, m->key_line, current);
}

static enum t2_status take_list(struct parser *p, const struct t2_yaml_node *list, int *current)
{
    for (size_t i = 0; i < list->n; i++) {
        T2_TRY(t2_budget_spend(&p->items, 1, p->err));
        T2_TRY(take_item(p, &list->items[i], current));
    }
    return T2_OK;
}

/* ---- the file ---- */

static enum t2_status check_defaults(const struct parser *p, const struct t2_yaml_node *defaults)
{
    enum mdl_activation ignored;
    enum mdl_layer_type type;

    if (defaults->kind != T2_YAML_MAPPING)
        return t2_fail(p->err, T2_EFORMAT, "line %zu: defaults has layers with settings",
                       defaults->line);
    for (size_t i = 0; i < defaults->n; i++) {
        const struct t2_yaml_node *d = &defaults->items[i];

        if (!mdl_layer_find_type(d->key, &type, &ignored) || ignored != MDL_LINEAR)
            return unknown_layer(p, d->key_line, d->key);
        if (d->kind != T2_YAML_MAPPING || member(d, "name"))
            return t2_fail(p->err, T2_EFORMAT,
                           "line %zu: defaults of %.60s are settings, without a name", d->line,
                           d->key);
    }
    return T2_OK;
}

/* Each kind of targets has one loss, of several names. */
static enum t2_status check_loss(const struct parser *p, const struct t2_yaml_node *loss)
{
    enum { SEQUENCES = MDL_TARGET_SET + 1 };
    static const struct {
        const char *of, *names[5];
    } kinds[] = {
        [SEQUENCES] = {"texts that are made",
                       {"sequence_cross_entropy", "sparse_categorical_crossentropy", "softmax",
                        NULL}},
        [MDL_TARGET_IDS] = {"class labels",
                            {"softmax", "sparse_categorical_crossentropy", "softmax_cross_entropy",
                             "categorical_crossentropy", NULL}},
        [MDL_TARGET_REALS] = {"numbers", {"mse", "mean_squared_error", NULL}},
        [MDL_TARGET_SET] = {"sets of labels", {"sigmoid", "binary_crossentropy", NULL}},
    };
    const struct mdl_problem *problem = p->scope.problem;
    int kind = !problem                         ? MDL_TARGET_IDS
               : mdl_layer_makes_texts(problem) ? SEQUENCES
                                                : (int) problem->target;
    char word[MDL_SCALAR_BYTES];

    T2_TRY(mdl_scope_text(&p->scope, loss, word, p->err));
    if (!problem) /* names of parameters alone are wanted */
        return T2_OK;
    for (int i = 0; kinds[kind].names[i]; i++)
        if (strcmp(kinds[kind].names[i], word) == 0)
            return T2_OK;
    return t2_fail(p->err, T2_EUNSUPPORTED,
                   "line %zu: there is no loss '%.60s' for %s; there is %s (%s)", loss->line, word,
                   kinds[kind].of, kinds[kind].names[0], kinds[kind].names[1]);
}

static enum t2_status take_file(struct parser *p, const struct t2_yaml_node *root)
{
    static const char *const keys[] = {"name", "parameters", "defaults", "layers", "loss", NULL};
    const struct t2_yaml_node *layers, *name, *loss;
    struct mdl_layer input = {.type = MDL_LAYER_INPUT, .name = "input", .line = 1};
    int current;

    if (!root || root->kind != T2_YAML_MAPPING || !(layers = member(root, "layers")) ||
        layers->kind != T2_YAML_LIST || layers->n == 0)
        return t2_fail(p->err, T2_EFORMAT,
                       "line %zu: a layer file is a mapping with `layers:`, a list",
                       root ? root->line : 1);
    T2_TRY(check_keys(p, root, keys, "a layer file"));
    name = member(root, "name");
    if (name && (name->kind != T2_YAML_SCALAR || strlen(name->text) > MOST_TITLE))
        return t2_fail(p->err, T2_EFORMAT, "line %zu: name is a text of at most %d bytes",
                       name->line, MOST_TITLE);
    p->net->title = t2_strdup(name ? name->text : "");
    p->defaults = member(root, "defaults");
    if (p->defaults)
        T2_TRY(check_defaults(p, p->defaults));
    loss = member(root, "loss");
    if (loss)
        T2_TRY(check_loss(p, loss));
    T2_TRY(push(p, &input, &current));
    return take_list(p, layers, &current);
}

enum t2_status mdl_layer_net_parse(const char *text, const char *origin,
                                   const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                   struct mdl_layer_net **net, struct t2_err *err)
{
    struct parser p = {.scope = {.hp = hp, .problem = problem}, .err = err};
    struct t2_yaml_node *root = NULL;
    size_t n = strlen(text);
    enum t2_status st;

    *net = NULL;
    if (n > MDL_LAYER_MOST_BYTES)
        return t2_fail(err, T2_EFORMAT, "'%s': a layer file has at most %d bytes", origin,
                       MDL_LAYER_MOST_BYTES);
    T2_TRY(t2_yaml_tree(text, n, origin, &root, err));
    p.net = t2_alloc(1, sizeof *p.net);
    p.names = t2_map_new();
    t2_budget_init(&p.items, "the loops of a layer file", "layers", ITEMS_ANYWAY, ITEMS_A_BYTE, n);
    st = take_file(&p, root);
    t2_map_free(p.names);
    t2_yaml_free(root);
    if (st == T2_OK)
        *net = p.net;
    else
        mdl_layer_net_free(p.net);
    return st;
}

void mdl_layer_net_free(struct mdl_layer_net *net)
{
    if (!net)
        return;
    t2_free(net->layers);
    t2_free(net->title);
    t2_free(net);
}

/* ---- parameters ---- */

/* An integer, a number, or a word. */
static void declare(struct mdl_hparams *hp, const char *name, const struct t2_yaml_node *value)
{
    bool is_true = strcmp(value->text, "true") == 0, is_false = strcmp(value->text, "false") == 0;
    int64_t i;
    double f;

    if (value->plain && t2_parse_i64(value->text, &i))
        mdl_hp_set_int(hp, name, i);
    else if (value->plain && t2_parse_double(value->text, &f))
        mdl_hp_set_float(hp, name, f);
    else if (value->plain && (is_true || is_false))
        mdl_hp_set_bool(hp, name, is_true);
    else
        mdl_hp_set_string(hp, name, value->text);
}

/* A parameter with the name of an hparam of some set is of its type: others read it by that. */
static enum t2_status check_type(const struct mdl_hparams *set, const struct mdl_hparams *hp,
                                 const struct t2_yaml_node *value, struct t2_err *err)
{
    const char *name = value->key;

    if (!mdl_hp_has(set, name) || mdl_hp_type_of(set, name) == mdl_hp_type_of(hp, name) ||
        mdl_hp_type_of(set, name) == MDL_HP_NONE)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT,
                   "line %zu: parameter '%s' has the name of an hparam of set %s and another type: "
                   "give it another name",
                   value->line, name, mdl_hparams_set_name(set));
}

/* Only sets that declare it are made: the others have it from these, or not at all. */
static enum t2_status check_types(const struct t2_yaml_node *value, const struct mdl_hparams *hp,
                                  struct t2_err *err)
{
    enum t2_status st = T2_OK;
    const char *name;

    for (size_t i = 0; st == T2_OK && (name = mdl_hparams_declaring(value->key, &i));) {
        struct mdl_hparams *set;

        T2_TRY(mdl_hparams_new(name, &set, err));
        st = check_type(set, hp, value, err);
        mdl_hparams_free(set);
    }
    return st;
}

static enum t2_status declare_all(const struct t2_yaml_node *parameters, struct mdl_hparams *hp,
                                  struct t2_err *err)
{
    if (parameters->kind != T2_YAML_MAPPING)
        return t2_fail(err, T2_EFORMAT, "line %zu: parameters are names with values",
                       parameters->line);
    for (size_t i = 0; i < parameters->n; i++) {
        const struct t2_yaml_node *value = &parameters->items[i];
        size_t n = strlen(value->key);

        if (value->kind != T2_YAML_SCALAR || value->tag || strlen(value->text) >= MDL_SCALAR_BYTES)
            return t2_fail(err, T2_EFORMAT, "line %zu: parameter '%.60s' has one short value",
                           value->line, value->key);
        if (n == 0 || n > 60 || mdl_scope_is_reserved(value->key) ||
            mdl_hparams_extra(value->key) ||
            value->key[strspn(value->key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_")] != '\0')
            return t2_fail(err, T2_EFORMAT,
                           "line %zu: '%.60s' is no name for a parameter: letters, digits and _; "
                           "classes, inputs_vocab, index and hparams of this program are taken",
                           value->key_line, value->key);
        if (!mdl_hp_has(hp, value->key))
            declare(hp, value->key, value);
        T2_TRY(check_types(value, hp, err));
    }
    return T2_OK;
}

enum t2_status mdl_layer_file_declare(const char *text, const char *origin, struct mdl_hparams *hp,
                                      struct t2_err *err)
{
    struct t2_yaml_node *root = NULL;
    const struct t2_yaml_node *parameters;
    enum t2_status st = T2_OK;

    if (strlen(text) > MDL_LAYER_MOST_BYTES)
        return t2_fail(err, T2_EFORMAT, "'%s': a layer file has at most %d bytes", origin,
                       MDL_LAYER_MOST_BYTES);
    T2_TRY(t2_yaml_tree(text, strlen(text), origin, &root, err));
    parameters = root ? member(root, "parameters") : NULL;
    if (parameters && declare_all(parameters, hp, err) != T2_OK)
        st = t2_wrap(err, "'%s'", origin);
    else
        mdl_hp_set_string(hp, "layer_file", text);
    t2_yaml_free(root);
    return st;
}

enum t2_status mdl_layer_file_read_json(struct mdl_hparams *hp, const struct t2_json_value *object,
                                        struct t2_err *err)
{
    const char *text = t2_json_as_string(t2_json_get(object, "layer_file"), "");

    if (text[0] != '\0')
        T2_TRY(mdl_layer_file_declare(text, "layer file", hp, err));
    return mdl_hparams_read_json(hp, object, err);
}

bool mdl_is_layer_file(const char *model)
{
    return t2_ends_with(model, ".yaml") || t2_ends_with(model, ".yml");
}
