/*
 * train/models/hparams_sets.c - a registered set by name, built from its parents' tables.
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
                                                     &mdl_text_sets,     &mdl_image_sets};
enum { N_TABLES = sizeof tables / sizeof *tables, MOST_SETS = 1024 };

static const struct mdl_set *set_at(size_t i)
{
    for (size_t t = 0; t < N_TABLES; t++) {
        if (i < tables[t]->n)
            return &tables[t]->sets[i];
        i -= tables[t]->n;
    }
    T2_ASSERT(!"index of a set");
}

size_t mdl_hparams_count(void)
{
    size_t n = 0;

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
static pthread_once_t sorted_once = PTHREAD_ONCE_INIT;

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
}

const char *mdl_hparams_name(size_t i)
{
    size_t n = mdl_hparams_count();

    T2_ASSERT(i < n);
    (void) pthread_once(&sorted_once, sort_names);
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
    case MDL_HP_NONE:
    case MDL_HP_MAP:
    case MDL_HP_INT_LIST:
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

static enum mdl_hp_type type_by_name(const char *type)
{
    static const struct {
        const char *name;
        enum mdl_hp_type type;
    } types[] = {{"int", MDL_HP_INT},
                 {"float", MDL_HP_FLOAT},
                 {"bool", MDL_HP_BOOL},
                 {"string", MDL_HP_STRING}};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, type) == 0)
            return types[i].type;
    }
    T2_ASSERT(!"type of a new key in a set's table");
}

/* A new key, or a known one with another type: the original's sets write what they like over a
 * None. */
static struct mdl_value *declare_again(struct mdl_hparams *hp, const char *name,
                                       enum mdl_hp_type type)
{
    struct mdl_value *v = mdl_hparams_find(hp, name);

    if (!v)
        return mdl_hparams_declare(hp, name, type);
    T2_ASSERT(v->type == MDL_HP_NONE || v->type == MDL_HP_BOOL); /* nothing to release */
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
    T2_ASSERT(n >= 2 && text[0] == '[' && text[n - 1] == ']');
    text[n - 1] = '\0';
    return mdl_value_parse_list(v, name, text + 1, err);
}

/* One change of a table; the text is cut in place. */
static void apply_change(struct mdl_hparams *hp, char *change)
{
    struct t2_err err = T2_ERR_INIT;
    char *value, *type;
    struct mdl_value *v;

    while (*change == ' ')
        change++;
    if (strcmp(change, "@tpu") == 0) {
        convert_for_tpu(hp);
        return;
    }
    value = strchr(change, '=');
    T2_ASSERT(value);
    *value++ = '\0';
    type = strchr(change, ':');
    if (type) {
        *type++ = '\0';
        v = declare_again(hp, change, type_by_name(type));
    } else {
        v = mdl_hparams_find(hp, change);
    }
    T2_ASSERT(v);
    if (strcmp(value, "@null") == 0 && v->type == MDL_HP_FLOAT) {
        v->f = 0.0;
        v->is_null = true;
    } else if (strcmp(value, "@null") == 0) {
        mdl_hp_set_string(hp, change, NULL);
    } else {
        enum t2_status st = parse_change(v, change, value, &err);

        T2_ASSERT(st == T2_OK); /* the tables are ours */
    }
}

static void apply_set(struct mdl_hparams *hp, const struct mdl_set *set)
{
    struct t2_strs changes = {0};

    if (set->parent) {
        const struct mdl_set *parent = find_set(set->parent);

        T2_ASSERT(parent);
        apply_set(hp, parent);
    }
    for (size_t i = 0; i < set->n_defaults; i++)
        add_default(hp, &set->defaults[i]);
    t2_strs_split(&changes, set->changes, ';');
    for (size_t i = 0; i < changes.n; i++)
        apply_change(hp, changes.items[i]);
    t2_strs_release(&changes);
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

    *hp = NULL;
    if (!s)
        return unknown_set(set, err);
    *hp = mdl_hparams_empty(set);
    apply_set(*hp, s);
    return T2_OK;
}
