/*
 * train/models/hparams.c - the typed store of hyperparameters, and its JSON form.
 *
 * The grammar of overrides is in hparams_override.c, the registered sets in hparams_sets.c.
 */
#include "train/models/hparams.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "train/models/hparams_store.h"

struct mdl_hparams *mdl_hparams_empty(const char *set)
{
    struct mdl_hparams *hp = t2_alloc(1, sizeof *hp);

    hp->set = t2_strdup(set);
    return hp;
}

/* Index of the first entry whose name is not less than `name`. */
static size_t lower_bound(const struct mdl_hparams *hp, const char *name)
{
    size_t low = 0, high = hp->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(hp->entries[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct mdl_value *mdl_hparams_find(const struct mdl_hparams *hp, const char *name)
{
    size_t i = lower_bound(hp, name);

    if (i < hp->n && strcmp(hp->entries[i].name, name) == 0)
        return &hp->entries[i].value;
    return NULL;
}

struct mdl_value *mdl_hparams_declare(struct mdl_hparams *hp, const char *name,
                                      enum mdl_hp_type type)
{
    size_t at = lower_bound(hp, name);
    struct mdl_entry *e;

    T2_ASSERT(at == hp->n || strcmp(hp->entries[at].name, name) != 0);
    if (hp->n == hp->capacity) {
        hp->capacity = hp->capacity ? 2 * hp->capacity : 64;
        hp->entries = t2_realloc(hp->entries, hp->capacity, sizeof *hp->entries);
    }
    e = &hp->entries[at];
    memmove(e + 1, e, (hp->n - at) * sizeof *e);
    memset(e, 0, sizeof *e);
    hp->n++;
    e->name = t2_strdup(name);
    e->mark = mdl_read_mark_of(name);
    e->value.type = type;
    if (type == MDL_HP_STRING)
        e->value.s = t2_strdup("");
    return &e->value;
}

static struct mdl_value copy_of(const struct mdl_value *from)
{
    struct mdl_value to = *from;

    if (from->s)
        to.s = t2_strdup(from->s);
    if (from->ints) {
        to.ints = t2_alloc(from->n, sizeof *to.ints);
        memcpy(to.ints, from->ints, from->n * sizeof *to.ints);
    }
    if (from->floats) {
        to.floats = t2_alloc(from->n, sizeof *to.floats);
        memcpy(to.floats, from->floats, from->n * sizeof *to.floats);
    }
    return to;
}

struct mdl_hparams *mdl_hparams_copy(const struct mdl_hparams *hp)
{
    struct mdl_hparams *c = mdl_hparams_empty(hp->set);

    c->entries = t2_alloc(hp->n, sizeof *c->entries);
    c->n = c->capacity = hp->n;
    for (size_t i = 0; i < hp->n; i++) {
        c->entries[i].name = t2_strdup(hp->entries[i].name);
        c->entries[i].mark = hp->entries[i].mark;
        c->entries[i].value = copy_of(&hp->entries[i].value);
    }
    return c;
}

void mdl_hparams_add_missing(struct mdl_hparams *hp, const struct mdl_hparams *from)
{
    for (size_t i = 0; i < from->n; i++) {
        const struct mdl_entry *e = &from->entries[i];

        if (!mdl_hparams_find(hp, e->name)) {
            struct mdl_value *v = mdl_hparams_declare(hp, e->name, e->value.type);

            t2_free(v->s); /* "", of a string that is declared */
            *v = copy_of(&e->value);
        }
    }
}

void mdl_hparams_free(struct mdl_hparams *hp)
{
    if (!hp)
        return;
    for (size_t i = 0; i < hp->n; i++) {
        t2_free(hp->entries[i].name);
        t2_free(hp->entries[i].value.s);
        t2_free(hp->entries[i].value.ints);
        t2_free(hp->entries[i].value.floats);
    }
    t2_free(hp->entries);
    t2_free(hp->set);
    t2_free(hp);
}

const char *mdl_hparams_set_name(const struct mdl_hparams *hp)
{
    return hp->set;
}

/* ---- reading ---- */

/* The value, without noting that it was read: for writing and comparing. */
static const struct mdl_value *must_have(const struct mdl_hparams *hp, const char *name)
{
    const struct mdl_value *v = mdl_hparams_find(hp, name);

    if (!v)
        v = mdl_hparams_extra(name);
    T2_ASSERT(v);
    return v;
}

static const struct mdl_value *must_find(const struct mdl_hparams *hp, const char *name)
{
    size_t i = lower_bound(hp, name);

    if (i < hp->n && strcmp(hp->entries[i].name, name) == 0) {
        mdl_read_mark_set(hp->entries[i].mark);
        return &hp->entries[i].value;
    }
    mdl_read_mark_set(mdl_read_mark_of(name));
    return must_have(hp, name);
}

int64_t mdl_hp_int(const struct mdl_hparams *hp, const char *name)
{
    const struct mdl_value *v = must_find(hp, name);

    T2_ASSERT(v->type == MDL_HP_INT);
    return v->i;
}

double mdl_hp_float(const struct mdl_hparams *hp, const char *name)
{
    const struct mdl_value *v = must_find(hp, name);

    T2_ASSERT(v->type == MDL_HP_FLOAT || v->type == MDL_HP_INT);
    return v->type == MDL_HP_INT ? (double) v->i : v->f;
}

bool mdl_hp_bool(const struct mdl_hparams *hp, const char *name)
{
    const struct mdl_value *v = must_find(hp, name);

    T2_ASSERT(v->type == MDL_HP_BOOL);
    return v->b;
}

const char *mdl_hp_string(const struct mdl_hparams *hp, const char *name)
{
    const struct mdl_value *v = must_find(hp, name);

    T2_ASSERT(v->type == MDL_HP_STRING);
    return v->is_null ? "None" : v->s;
}

bool mdl_hp_is_null(const struct mdl_hparams *hp, const char *name)
{
    return must_find(hp, name)->is_null;
}

const int64_t *mdl_hp_ints(const struct mdl_hparams *hp, const char *name, size_t *n)
{
    const struct mdl_value *v = must_find(hp, name);

    T2_ASSERT(v->type == MDL_HP_INT_LIST);
    *n = v->n;
    return v->ints;
}

const double *mdl_hp_floats(const struct mdl_hparams *hp, const char *name, size_t *n)
{
    const struct mdl_value *v = must_find(hp, name);

    T2_ASSERT(v->type == MDL_HP_FLOAT_LIST);
    *n = v->n;
    return v->floats;
}

bool mdl_hp_has(const struct mdl_hparams *hp, const char *name)
{
    return mdl_hparams_find(hp, name) != NULL;
}

enum mdl_hp_type mdl_hp_type_of(const struct mdl_hparams *hp, const char *name)
{
    return must_have(hp, name)->type;
}

/* ---- writing ---- */

static struct mdl_value *find_or_declare(struct mdl_hparams *hp, const char *name,
                                         enum mdl_hp_type type)
{
    struct mdl_value *v = mdl_hparams_find(hp, name);

    return v ? v : mdl_hparams_declare(hp, name, type);
}

void mdl_hp_set_int(struct mdl_hparams *hp, const char *name, int64_t i)
{
    struct mdl_value *v = find_or_declare(hp, name, MDL_HP_INT);

    T2_ASSERT(v->type == MDL_HP_INT || v->type == MDL_HP_FLOAT);
    if (v->type == MDL_HP_INT)
        v->i = i;
    else
        v->f = (double) i;
}

void mdl_hp_set_float(struct mdl_hparams *hp, const char *name, double f)
{
    struct mdl_value *v = find_or_declare(hp, name, MDL_HP_FLOAT);

    T2_ASSERT(v->type == MDL_HP_FLOAT);
    v->f = f;
    v->is_null = false;
}

void mdl_hp_set_bool(struct mdl_hparams *hp, const char *name, bool b)
{
    struct mdl_value *v = find_or_declare(hp, name, MDL_HP_BOOL);

    T2_ASSERT(v->type == MDL_HP_BOOL);
    v->b = b;
}

void mdl_hp_set_string(struct mdl_hparams *hp, const char *name, const char *s)
{
    struct mdl_value *v = find_or_declare(hp, name, MDL_HP_STRING);
    char *copy = s ? t2_strdup(s) : NULL;

    T2_ASSERT(v->type == MDL_HP_STRING);
    t2_free(v->s);
    v->s = copy;
    v->is_null = !s;
}

void mdl_hp_set_ints(struct mdl_hparams *hp, const char *name, const int64_t *values, size_t n)
{
    struct mdl_value *v = find_or_declare(hp, name, MDL_HP_INT_LIST);
    int64_t *copy = t2_alloc(n, sizeof *copy);

    T2_ASSERT(v->type == MDL_HP_INT_LIST);
    if (n)
        memcpy(copy, values, n * sizeof *copy);
    t2_free(v->ints);
    v->ints = copy;
    v->n = n;
}

void mdl_hp_set_floats(struct mdl_hparams *hp, const char *name, const double *values, size_t n)
{
    struct mdl_value *v = find_or_declare(hp, name, MDL_HP_FLOAT_LIST);
    double *copy = t2_alloc(n, sizeof *copy);

    T2_ASSERT(v->type == MDL_HP_FLOAT_LIST);
    if (n)
        memcpy(copy, values, n * sizeof *copy);
    t2_free(v->floats);
    v->floats = copy;
    v->n = n;
}

/* T2TModel.__init__ with a mode other than TRAIN; the original's hparams have the key `mode`,
 * too. */
void mdl_hparams_for_eval(struct mdl_hparams *hp)
{
    for (size_t i = 0; i < hp->n; i++) {
        struct mdl_entry *e = &hp->entries[i];

        if (e->value.type == MDL_HP_FLOAT &&
            (t2_ends_with(e->name, "dropout") || strcmp(e->name, "label_smoothing") == 0))
            e->value.f = 0.0;
    }
    mdl_hp_set_string(hp, "mode", "eval");
}

/* ---- JSON ---- */

static void write_value(const struct mdl_value *v, struct t2_json *json)
{
    switch (v->type) {
    case MDL_HP_INT:
        t2_json_i64(json, v->i);
        break;
    case MDL_HP_FLOAT:
        if (v->is_null)
            t2_json_null(json);
        else
            t2_json_double(json, v->f);
        break;
    case MDL_HP_BOOL:
        if (v->as_number)
            t2_json_i64(json, v->b);
        else
            t2_json_bool(json, v->b);
        break;
    case MDL_HP_STRING:
        if (v->is_null)
            t2_json_null(json);
        else
            t2_json_string(json, v->s);
        break;
    case MDL_HP_NONE:
        t2_json_null(json);
        break;
    case MDL_HP_MAP:
        t2_json_object(json);
        t2_json_end_object(json);
        break;
    case MDL_HP_INT_LIST:
    case MDL_HP_FLOAT_LIST:
        t2_json_array(json);
        for (size_t i = 0; i < v->n; i++) {
            if (v->of_bools)
                t2_json_bool(json, v->ints[i] != 0);
            else if (v->type == MDL_HP_INT_LIST)
                t2_json_i64(json, v->ints[i]);
            else
                t2_json_double(json, v->floats[i]);
        }
        t2_json_end_array(json);
        break;
    }
}

void mdl_hparams_write_json(const struct mdl_hparams *hp, struct t2_json *json)
{
    t2_json_object(json);
    for (size_t i = 0; i < hp->n; i++) {
        t2_json_key(json, hp->entries[i].name);
        write_value(&hp->entries[i].value, json);
    }
    t2_json_end_object(json);
}

static const char *json_type_name(enum t2_json_type type)
{
    switch (type) {
    case T2_JSON_NULL:
        return "null";
    case T2_JSON_BOOL:
        return "a boolean";
    case T2_JSON_INT:
        return "an integer";
    case T2_JSON_REAL:
        return "a number with a fraction";
    case T2_JSON_STRING:
        return "a string";
    case T2_JSON_ARRAY:
        return "a list";
    case T2_JSON_OBJECT:
        return "an object";
    }
    return "something else";
}

static enum t2_status mismatch(const char *name, const char *expected,
                               const struct t2_json_value *value, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "hparam '%s' must be %s, not %s", name, expected,
                   json_type_name(t2_json_type(value)));
}

static enum t2_status read_list(struct mdl_value *v, const char *name,
                                const struct t2_json_value *value, struct t2_err *err)
{
    size_t n = t2_json_size(value);
    int64_t *ints = t2_alloc(n, sizeof *ints);
    double *floats = t2_alloc(n, sizeof *floats);
    bool want_ints = v->type == MDL_HP_INT_LIST;
    enum t2_status st = T2_OK;

    for (size_t i = 0; i < n && st == T2_OK; i++) {
        const struct t2_json_value *item = t2_json_item(value, i);
        enum t2_json_type type = t2_json_type(item);

        if (v->of_bools ? type != T2_JSON_BOOL
                        : type != T2_JSON_INT && (want_ints || type != T2_JSON_REAL))
            st = mismatch(name,
                          v->of_bools ? "a list of booleans"
                          : want_ints ? "a list of integers"
                                      : "a list of numbers",
                          item, err);
        ints[i] = v->of_bools ? t2_json_as_bool(item, false) : t2_json_as_i64(item, 0);
        floats[i] = t2_json_as_double(item, 0.0);
    }
    if (st == T2_OK) {
        t2_free(v->ints);
        t2_free(v->floats);
        v->n = n;
        v->ints = want_ints ? ints : NULL;
        v->floats = want_ints ? NULL : floats;
    }
    if (st != T2_OK || !want_ints)
        t2_free(ints);
    if (st != T2_OK || want_ints)
        t2_free(floats);
    return st;
}

static enum t2_status read_value(struct mdl_value *v, const char *name,
                                 const struct t2_json_value *value, struct t2_err *err)
{
    enum t2_json_type type = t2_json_type(value);

    switch (v->type) {
    case MDL_HP_INT:
        if (type != T2_JSON_INT)
            return mismatch(name, "an integer", value, err);
        v->i = t2_json_as_i64(value, 0);
        break;
    case MDL_HP_FLOAT:
        if (v->is_null && type == T2_JSON_NULL)
            break;
        if (type != T2_JSON_INT && type != T2_JSON_REAL)
            return mismatch(name, "a number", value, err);
        v->is_null = false;
        v->f = t2_json_as_double(value, 0.0);
        break;
    case MDL_HP_BOOL:
        /* T2T itself writes 0 where it switches sharing of the tables off. */
        if (type != T2_JSON_BOOL && !(type == T2_JSON_INT && t2_json_as_i64(value, 2) / 2 == 0))
            return mismatch(name, "a boolean", value, err);
        v->as_number = type == T2_JSON_INT;
        v->b = type == T2_JSON_BOOL ? t2_json_as_bool(value, false) : t2_json_as_i64(value, 0) != 0;
        break;
    case MDL_HP_STRING:
        if (type != T2_JSON_STRING && type != T2_JSON_NULL)
            return mismatch(name, "a string", value, err);
        t2_free(v->s);
        v->is_null = type == T2_JSON_NULL;
        v->s = v->is_null ? NULL : t2_strdup(t2_json_as_string(value, ""));
        break;
    case MDL_HP_NONE:
        if (type != T2_JSON_NULL)
            return mismatch(name, "null", value, err);
        break;
    case MDL_HP_MAP: /* functions per feature in the original; its reader skips them too */
        break;
    case MDL_HP_INT_LIST:
    case MDL_HP_FLOAT_LIST:
        if (type != T2_JSON_ARRAY)
            return mismatch(name, "a list", value, err);
        return read_list(v, name, value, err);
    }
    return T2_OK;
}

enum t2_status mdl_hparams_read_json(struct mdl_hparams *hp, const struct t2_json_value *object,
                                     struct t2_err *err)
{
    if (t2_json_type(object) != T2_JSON_OBJECT)
        return t2_fail(err, T2_EFORMAT, "hparams must be a JSON object, not %s",
                       json_type_name(t2_json_type(object)));
    for (size_t i = 0; i < t2_json_size(object); i++) {
        const struct t2_json_value *value = NULL;
        const char *name = t2_json_member(object, i, &value);
        struct mdl_value *v = mdl_hparams_find(hp, name);

        if (!v && mdl_hparams_extra(name))
            v = mdl_hparams_declare(hp, name, mdl_hparams_extra(name)->type);
        if (v)
            T2_TRY(read_value(v, name, value, err));
    }
    return T2_OK;
}
