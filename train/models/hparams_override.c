/*
 * train/models/hparams_override.c - the text of --hparams: "name=value,list=[1,2]" (spec §1.3).
 *
 * tensor2tensor/utils/hparam.py, parse_values.  Stricter in two places: a number must be finite,
 * and digits may not be grouped with '_'.
 */
#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "train/models/hparams.h"
#include "train/models/hparams_store.h"

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A copy without blanks at both ends, as Python's int() and float() read it. */
static char *stripped(const char *text)
{
    size_t n;

    while (is_blank(*text))
        text++;
    n = strlen(text);
    while (n > 0 && is_blank(text[n - 1]))
        n--;
    return t2_strndup(text, n);
}

static bool parse_bool(const char *text, bool *b)
{
    int64_t i;

    if (strcmp(text, "true") == 0 || strcmp(text, "True") == 0) {
        *b = true;
    } else if (strcmp(text, "false") == 0 || strcmp(text, "False") == 0) {
        *b = false;
    } else {
        char *s = stripped(text);
        bool ok = t2_parse_i64(s, &i);

        t2_free(s);
        if (!ok)
            return false;
        *b = i != 0;
    }
    return true;
}

static bool parse_int(const char *text, int64_t *i)
{
    char *s = stripped(text);
    bool ok = t2_parse_i64(s, i);

    t2_free(s);
    return ok;
}

static bool parse_float(const char *text, double *f)
{
    char *s = stripped(text);
    bool ok = t2_parse_double(s, f);

    t2_free(s);
    return ok;
}

enum t2_status mdl_value_parse(struct mdl_value *v, const char *name, const char *text,
                               struct t2_err *err)
{
    switch (v->type) {
    case MDL_HP_INT:
        if (!parse_int(text, &v->i))
            return t2_fail(err, T2_EUSAGE, "hparam '%s' must be an integer, not '%s'", name, text);
        break;
    case MDL_HP_FLOAT:
        if (!parse_float(text, &v->f))
            return t2_fail(err, T2_EUSAGE, "hparam '%s' must be a number, not '%s'", name, text);
        v->is_null = false;
        break;
    case MDL_HP_BOOL:
        if (!parse_bool(text, &v->b))
            return t2_fail(err, T2_EUSAGE, "hparam '%s' must be true or false, not '%s'", name,
                           text);
        v->as_number = false;
        break;
    case MDL_HP_STRING:
        t2_free(v->s);
        v->s = t2_strdup(text);
        v->is_null = false;
        break;
    case MDL_HP_NONE:
        return t2_fail(err, T2_EUSAGE,
                       "hparam '%s' cannot be set: it is declared as None, without a type", name);
    case MDL_HP_MAP:
        return t2_fail(err, T2_EUSAGE, "hparam '%s' cannot be set: it is a map of functions", name);
    case MDL_HP_INT_LIST:
    case MDL_HP_FLOAT_LIST:
        return t2_fail(err, T2_EUSAGE, "hparam '%s' must be a list like [1,2,3], not '%s'", name,
                       text);
    }
    return T2_OK;
}

static bool parse_entry(const struct mdl_value *v, const char *text, int64_t *i, double *f)
{
    bool b;

    if (!v->of_bools)
        return v->type == MDL_HP_INT_LIST ? parse_int(text, i) : parse_float(text, f);
    if (!parse_bool(text, &b))
        return false;
    *i = b;
    return true;
}

enum t2_status mdl_value_parse_list(struct mdl_value *v, const char *name, const char *text,
                                    struct t2_err *err)
{
    size_t capacity = strlen(text) + 1, n = 0;
    int64_t *ints;
    double *floats;
    enum t2_status st = T2_OK;

    if (v->type != MDL_HP_INT_LIST && v->type != MDL_HP_FLOAT_LIST)
        return t2_fail(err, T2_EUSAGE, "hparam '%s' takes one value, not the list [%s]", name,
                       text);
    ints = t2_alloc(capacity, sizeof *ints);
    floats = t2_alloc(capacity, sizeof *floats);
    while (*text && st == T2_OK) {
        size_t len_bytes = strcspn(text, " ,");
        char *item = t2_strndup(text, len_bytes);

        if (len_bytes == 0) {
            /* separators in a row count as one */
        } else if (!parse_entry(v, item, &ints[n], &floats[n])) {
            st = t2_fail(err, T2_EUSAGE, "hparam '%s' must be a list of %s; '%s' is none", name,
                         v->of_bools                  ? "true and false"
                         : v->type == MDL_HP_INT_LIST ? "integers"
                                                      : "numbers",
                         item);
        } else {
            n++;
        }
        t2_free(item);
        text += len_bytes + (text[len_bytes] != '\0');
    }
    if (st == T2_OK) {
        t2_free(v->ints);
        t2_free(v->floats);
        v->n = n;
        v->ints = v->type == MDL_HP_INT_LIST ? ints : NULL;
        v->floats = v->type == MDL_HP_FLOAT_LIST ? floats : NULL;
    }
    if (v->ints != ints)
        t2_free(ints);
    if (v->floats != floats)
        t2_free(floats);
    return st;
}

/* ---- clauses ---- */

/* One clause; name and text are owned. */
struct clause {
    char *name;
    char *text;
    bool is_list;
    bool has_index;
};

static enum t2_status malformed(const char *at, struct t2_err *err)
{
    return t2_fail(err, T2_EUSAGE, "cannot read hparams at '%s': expected name=value", at);
}

/* "[ 12 ]" -> what follows it, NULL when it is not an index. */
static const char *skip_index(const char *p)
{
    const char *digits;

    for (p++; is_blank(*p); p++)
        ;
    for (digits = p; isdigit((unsigned char) *p); p++)
        ;
    if (p == digits)
        return NULL;
    while (is_blank(*p))
        p++;
    return *p == ']' ? p + 1 : NULL;
}

/* Reads the clause at *text and moves behind it and its comma. */
static enum t2_status next_clause(const char **text, struct clause *c, struct t2_err *err)
{
    const char *start = *text, *p = start, *value;

    memset(c, 0, sizeof *c);
    if (!isalpha((unsigned char) *p))
        return malformed(start, err);
    while (isalnum((unsigned char) *p) || *p == '_' || *p == '.')
        p++;
    c->name = t2_strndup(start, (size_t) (p - start));
    if (*p == '[') {
        p = skip_index(p);
        c->has_index = true;
    }
    while (p && is_blank(*p))
        p++;
    if (!p || *p != '=')
        return malformed(start, err);
    for (p++; is_blank(*p); p++)
        ;
    c->is_list = *p == '[';
    value = c->is_list ? ++p : p;
    p += strcspn(p, c->is_list ? "]" : ",[");
    c->text = t2_strndup(value, (size_t) (p - value));
    if (c->is_list && *p++ != ']')
        return malformed(start, err);
    if (*p != '\0' && *p != ',')
        return malformed(start, err);
    if (*p == ',')
        p++;
    while (is_blank(*p))
        p++;
    *text = p;
    return T2_OK;
}

static enum t2_status unknown(const struct mdl_hparams *hp, const char *name, struct t2_err *err)
{
    size_t n = hp->n, n_extra = mdl_hparams_extra_count();
    const char **names = t2_alloc(n + n_extra, sizeof *names);
    const char *near;

    for (size_t i = 0; i < n; i++)
        names[i] = hp->entries[i].name;
    for (size_t i = 0; i < n_extra; i++)
        names[n + i] = mdl_hparams_extra_name(i);
    near = t2_nearest(name, names, n + n_extra);
    if (near)
        t2_fail(err, T2_EUSAGE, "hparams set '%s' has no hparam '%s'; did you mean '%s'?", hp->set,
                name, near);
    else
        t2_fail(err, T2_EUSAGE, "hparams set '%s' has no hparam '%s'", hp->set, name);
    t2_free(names);
    return T2_EUSAGE;
}

static enum t2_status apply(struct mdl_hparams *hp, const struct clause *c, struct t2_strs *seen,
                            struct t2_err *err)
{
    struct mdl_value *v = mdl_hparams_find(hp, c->name);

    if (!v && mdl_hparams_extra(c->name))
        v = mdl_hparams_declare(hp, c->name, mdl_hparams_extra(c->name)->type);
    if (!v)
        return unknown(hp, c->name, err);
    if (c->has_index)
        return t2_fail(err, T2_EUSAGE,
                       "hparam '%s' can only be set as a whole, not one element of it", c->name);
    if (t2_strs_contains(seen, c->name))
        return t2_fail(err, T2_EUSAGE, "hparam '%s' is given twice", c->name);
    t2_strs_push(seen, c->name);
    if (c->is_list)
        return mdl_value_parse_list(v, c->name, c->text, err);
    return mdl_value_parse(v, c->name, c->text, err);
}

enum t2_status mdl_hparams_override(struct mdl_hparams *hp, const char *clauses, struct t2_err *err)
{
    struct mdl_hparams *changed = mdl_hparams_copy(hp);
    struct mdl_hparams old;
    struct t2_strs seen = {0};
    const char *p = clauses;
    enum t2_status st = T2_OK;

    while (is_blank(*p))
        p++;
    while (*p && st == T2_OK) {
        struct clause c;

        st = next_clause(&p, &c, err);
        if (st == T2_OK)
            st = apply(changed, &c, &seen, err);
        t2_free(c.name);
        t2_free(c.text);
    }
    if (st == T2_OK) {
        old = *hp;
        *hp = *changed;
        *changed = old;
    }
    mdl_hparams_free(changed);
    t2_strs_release(&seen);
    return st;
}
