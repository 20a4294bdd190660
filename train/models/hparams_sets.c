/*
 * train/models/hparams_sets.c - a registered set by name, built from its parents' tables; sets of
 * plug-ins.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "train/models/hparams.h"
#include "train/models/hparams_store.h"

static const struct mdl_set_table *const tables[] = {&mdl_basic_sets,    &mdl_transformer_sets,
                                                     &mdl_official_sets, &mdl_research_sets,
                                                     &mdl_cnn_sets,      &mdl_universal_sets,
                                                     &mdl_text_sets,     &mdl_image_sets,
                                                     &mdl_image_2d_sets};
enum { N_TABLES = sizeof tables / sizeof *tables, MOST_SETS = 2048, MOST_OWN = 1024 };

/* Of plug-ins; they are added when the program begins, by one thread. */
static struct mdl_set own[MOST_OWN];
static size_t n_own;

static const struct mdl_set *set_at(size_t i)
{
    for (size_t t = 0; t < N_TABLES; t++) {
        if (i < tables[t]->n)
            return &tables[t]->sets[i];
        i -= tables[t]->n;
    }
    T2_ASSERT(i < n_own);
    return &own[i];
}

size_t mdl_hparams_count(void)
{
    size_t n = n_own;

    for (size_t t = 0; t < N_TABLES; t++)
        n += tables[t]->n;
    return n;
}

static const struct mdl_set *find_set(const char *name)
{
    for (size_t i = 0; i < mdl_hparams_count(); i++) {
        if (strcmp(set_at(i)->name, name) == 0)
            return set_at(i);
    }
    return NULL;
}

/* Names in order; the tables stay in their own. */
static const char *sorted[MOST_SETS];
static size_t sorted_n; /* of how many sets; 0: not yet, or no longer */
static pthread_mutex_t sorted_lock = PTHREAD_MUTEX_INITIALIZER;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *) a, *(const char *const *) b);
}

static void sort_names(void)
{
    size_t n = mdl_hparams_count();

    T2_ASSERT(n <= MOST_SETS);
    for (size_t i = 0; i < n; i++)
        sorted[i] = set_at(i)->name;
    qsort(sorted, n, sizeof *sorted, compare_names);
    sorted_n = n;
}

const char *mdl_hparams_name(size_t i)
{
    size_t n = mdl_hparams_count();

    T2_ASSERT(i < n);
    pthread_mutex_lock(&sorted_lock);
    if (sorted_n != n)
        sort_names();
    pthread_mutex_unlock(&sorted_lock);
    return sorted[i];
}

static void add_default(struct mdl_hparams *hp, const struct mdl_default *d)
{
    switch (d->type) {
    case MDL_HP_INT:
        mdl_hp_set_int(hp, d->name, d->i);
        break;
    case MDL_HP_FLOAT:
        mdl_hp_set_float(hp, d->name, d->f);
        break;
    case MDL_HP_BOOL:
        mdl_hp_set_bool(hp, d->name, d->i != 0);
        break;
    case MDL_HP_STRING:
        mdl_hp_set_string(hp, d->name, d->s);
        break;
    case MDL_HP_INT_LIST:
        mdl_hparams_declare(hp, d->name, d->type)->of_bools = d->i != 0;
        break;
    case MDL_HP_NONE:
    case MDL_HP_MAP:
    case MDL_HP_FLOAT_LIST:
        mdl_hparams_declare(hp, d->name, d->type);
        break;
    }
}

/* update_hparams_for_tpu: Adafactor with its rate, fixed lengths, masks shared over positions. */
static void convert_for_tpu(struct mdl_hparams *hp)
{
    mdl_hp_set_string(hp, "optimizer", "Adafactor");
    mdl_hp_set_string(hp, "learning_rate_schedule", "rsqrt_decay");
    mdl_hp_set_int(hp, "learning_rate_warmup_steps", 10000);
    mdl_hp_set_int(hp, "symbol_modality_num_shards", 1);
    mdl_hp_set_int(hp, "max_length", 64);
    if (mdl_hp_int(hp, "batch_size") > 2048)
        mdl_hp_set_int(hp, "batch_size", 2048);
    mdl_hp_set_string(hp, "attention_dropout_broadcast_dims", "0,1");
    mdl_hp_set_string(hp, "relu_dropout_broadcast_dims", "1");
    mdl_hp_set_string(hp, "layer_prepostprocess_dropout_broadcast_dims", "1");
}

static bool type_by_name(const char *name, enum mdl_hp_type *type)
{
    static const struct {
        const char *name;
        enum mdl_hp_type type;
    } types[] = {{"int", MDL_HP_INT},
                 {"float", MDL_HP_FLOAT},
                 {"bool", MDL_HP_BOOL},
                 {"string", MDL_HP_STRING}};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, name) != 0)
            continue;
        *type = types[i].type;
        return true;
    }
    return false;
}

/* A new key, or a known one with another type: the original's sets write what they like over a
 * None.  NULL where a known one has a value that is of another type. */
static struct mdl_value *declare_again(struct mdl_hparams *hp, const char *name,
                                       enum mdl_hp_type type)
{
    struct mdl_value *v = mdl_hparams_find(hp, name);

    if (!v)
        return mdl_hparams_declare(hp, name, type);
    if (v->type == type)
        return v;
    if (v->type == MDL_HP_BOOL && type == MDL_HP_INT) /* as in the original it stays what it is */
        return v;
    if (v->type != MDL_HP_NONE && v->type != MDL_HP_BOOL) /* these have nothing to release */
        return NULL;
    *v = (struct mdl_value){.type = type};
    return v;
}

/* "[1,2]" for a list, else one value. */
static enum t2_status parse_change(struct mdl_value *v, const char *name, char *text,
                                   struct t2_err *err)
{
    size_t n = strlen(text);

    if (v->type != MDL_HP_INT_LIST && v->type != MDL_HP_FLOAT_LIST)
        return mdl_value_parse(v, name, text, err);
    if (n < 2 || text[0] != '[' || text[n - 1] != ']')
        return t2_fail(err, T2_EFORMAT, "'%s' is a list, [1,2], not '%s'", name, text);
    text[n - 1] = '\0';
    return mdl_value_parse_list(v, name, text + 1, err);
}

static enum t2_status make_null(struct mdl_value *v, const char *name, struct t2_err *err)
{
    if (v->type != MDL_HP_FLOAT && v->type != MDL_HP_STRING)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' is neither a number with a point nor a text: it "
                       "cannot be @null",
                       name);
    t2_free(v->s);
    v->s = NULL;
    v->f = 0.0;
    v->is_null = true;
    return T2_OK;
}

/* One change of a table; the text is cut in place. */
static enum t2_status apply_change(struct mdl_hparams *hp, char *change, struct t2_err *err)
{
    enum mdl_hp_type as = MDL_HP_NONE;
    char *value, *type;
    struct mdl_value *v;

    while (*change == ' ')
        change++;
    if (strcmp(change, "@tpu") == 0) {
        convert_for_tpu(hp);
        return T2_OK;
    }
    value = strchr(change, '=');
    if (!value)
        return t2_fail(err, T2_EFORMAT, "'%s' is no name=value", change);
    *value++ = '\0';
    type = strchr(change, ':');
    if (type) {
        *type++ = '\0';
        if (!type_by_name(type, &as))
            return t2_fail(err, T2_EFORMAT, "'%s': int, float, bool or string, not '%s'", change,
                           type);
        v = declare_again(hp, change, as);
    } else {
        v = mdl_hparams_find(hp, change);
    }
    if (!v && type)
        return t2_fail(err, T2_EFORMAT, "'%s' has another type already", change);
    if (!v)
        return t2_fail(err, T2_EFORMAT,
                       "there is no hparam '%s' in the parent; a new one is '%s:TYPE=%s'", change,
                       change, value);
    if (strcmp(value, "@null") == 0)
        return make_null(v, change, err);
    T2_TRY(parse_change(v, change, value, err));
    v->as_number = as == MDL_HP_INT && v->type == MDL_HP_BOOL;
    return T2_OK;
}

static enum t2_status apply_set(struct mdl_hparams *hp, const struct mdl_set *set,
                                struct t2_err *err)
{
    struct t2_strs changes = {0};
    enum t2_status st = T2_OK;

    if (set->parent) {
        const struct mdl_set *parent = find_set(set->parent);

        T2_ASSERT(parent);
        T2_TRY(apply_set(hp, parent, err));
    }
    for (size_t i = 0; i < set->n_defaults; i++)
        add_default(hp, &set->defaults[i]);
    t2_strs_split(&changes, set->changes, ';');
    for (size_t i = 0; i < changes.n && st == T2_OK; i++)
        st = apply_change(hp, changes.items[i], err);
    t2_strs_release(&changes);
    return st == T2_OK ? st : t2_wrap(err, "hparams set '%s'", set->name);
}

/* "name:TYPE=" among the changes of a set. */
static bool declares_in_changes(const char *changes, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = changes; (at = strstr(at, name)); at++) {
        if (at[n] == ':' && (at == changes || at[-1] == ';' || at[-1] == ' '))
            return true;
    }
    return false;
}

static bool declares(const struct mdl_set *set, const char *name)
{
    for (size_t i = 0; i < set->n_defaults; i++) {
        if (strcmp(set->defaults[i].name, name) == 0)
            return true;
    }
    return declares_in_changes(set->changes, name);
}

const char *mdl_hparams_declaring(const char *name, size_t *i)
{
    while (*i < mdl_hparams_count()) {
        const struct mdl_set *set = set_at((*i)++);

        if (declares(set, name))
            return set->name;
    }
    return NULL;
}

const char *mdl_hparams_parent(const char *set)
{
    const struct mdl_set *s = find_set(set);

    return s ? s->parent : NULL;
}

const char *mdl_hparams_family(const char *set)
{
    const struct mdl_set *s = find_set(set), *parent;

    while (s && s->parent) {
        parent = find_set(s->parent);
        T2_ASSERT(parent);
        if (!parent->parent)
            return s->name;
        s = parent;
    }
    return NULL;
}

static enum t2_status unknown_set(const char *name, struct t2_err *err)
{
    size_t n = mdl_hparams_count();
    const char **names = t2_alloc(n, sizeof *names);
    const char *near;

    for (size_t i = 0; i < n; i++)
        names[i] = set_at(i)->name;
    near = t2_nearest(name, names, n);
    t2_fail(err, T2_EUSAGE, "unknown hparams set '%s'%s%s%s; --registry_help lists all", name,
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    t2_free(names);
    return T2_EUSAGE;
}

enum t2_status mdl_hparams_new(const char *set, struct mdl_hparams **hp, struct t2_err *err)
{
    const struct mdl_set *s = find_set(set);
    enum t2_status st;

    *hp = NULL;
    if (!s)
        return unknown_set(set, err);
    *hp = mdl_hparams_empty(set);
    st = apply_set(*hp, s, err);
    if (st == T2_OK)
        return T2_OK;
    mdl_hparams_free(*hp);
    *hp = NULL;
    return st;
}

/* ---- sets of plug-ins ---- */

static enum t2_status check_own(const struct mdl_set *set, struct t2_err *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

    if (!set->name || set->name[0] == '\0' || set->name[strspn(set->name, letters)] != '\0')
        return t2_fail(err, T2_EFORMAT,
                       "hparams set '%s': a name has small letters, digits and underscores",
                       set->name ? set->name : "");
    if (find_set(set->name))
        return t2_fail(err, T2_EFORMAT, "there is an hparams set '%s' already", set->name);
    if (!set->parent || !find_set(set->parent) || !set->changes)
        return t2_fail(err, T2_EFORMAT,
                       "hparams set '%s' needs a parent that is registered, not '%s', and changes",
                       set->name, set->parent ? set->parent : "");
    return T2_OK;
}

enum t2_status mdl_hparams_register(const char *name, const char *parent, const char *changes,
                                    struct t2_err *err)
{
    const struct mdl_set set = {.name = name, .parent = parent, .changes = changes};
    struct mdl_hparams *hp = NULL;
    enum t2_status st;

    T2_TRY(check_own(&set, err));
    if (n_own == MOST_OWN)
        return t2_fail(err, T2_EFORMAT, "hparams set '%s': plug-ins have at most %d sets", name,
                       MOST_OWN);
    own[n_own++] = set;
    sorted_n = 0;
    st = mdl_hparams_new(name, &hp, err); /* every change is looked at once */
    if (st != T2_OK)
        n_own--;
    mdl_hparams_free(hp);
    return st;
}
