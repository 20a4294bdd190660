/*
 * train/models/layer_file_values.c - scalars of a layer file, with "$name" in them.
 */
#include "train/models/layer_file_values.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

enum { NAME_BYTES = 64, MOST_OPERANDS = 16 };

static const char *const reserved[] = {"classes", "inputs_vocab", "index"};

bool mdl_scope_is_reserved(const char *name)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(reserved[i], name) == 0)
            return true;
    return false;
}

/* ---- names ---- */

static size_t name_length(const char *s)
{
    return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
}

static void put_number(double value, char out[MDL_SCALAR_BYTES])
{
    if (value == floor(value) && fabs(value) < 9e15)
        snprintf(out, MDL_SCALAR_BYTES, "%" PRId64, (int64_t) value);
    else
        snprintf(out, MDL_SCALAR_BYTES, "%.17g", value);
}

static enum t2_status unknown(const struct t2_yaml_node *node, const char *name, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT,
                   "line %zu: $%s is neither a variable of a loop nor an hparam; give it a value "
                   "under `parameters:`",
                   node->line, name);
}

/* The entry of a list hparam. */
static enum t2_status entry_text(const struct mdl_scope *s, const struct t2_yaml_node *node,
                                 const char *name, const char *index, char out[MDL_SCALAR_BYTES],
                                 struct t2_err *err)
{
    enum mdl_hp_type type = mdl_hp_has(s->hp, name) ? mdl_hp_type_of(s->hp, name) : MDL_HP_NONE;
    int64_t i;
    size_t n;

    if (type != MDL_HP_INT_LIST && type != MDL_HP_FLOAT_LIST)
        return t2_fail(err, T2_EFORMAT, "line %zu: $%s[…] is no hparam that is a list", node->line,
                       name);
    if (type == MDL_HP_INT_LIST)
        (void) mdl_hp_ints(s->hp, name, &n);
    else
        (void) mdl_hp_floats(s->hp, name, &n);
    if (!t2_parse_i64(index, &i) || i < 0 || (uint64_t) i >= n)
        return t2_fail(err, T2_EFORMAT, "line %zu: $%s[%s]: hparam %s has %zu entries, from 0 on",
                       node->line, name, index, name, n);
    put_number(type == MDL_HP_INT_LIST ? (double) mdl_hp_ints(s->hp, name, &n)[i]
                                       : mdl_hp_floats(s->hp, name, &n)[i],
               out);
    return T2_OK;
}

static enum t2_status hparam_text(const struct mdl_scope *s, const struct t2_yaml_node *node,
                                  const char *name, char out[MDL_SCALAR_BYTES], struct t2_err *err)
{
    switch (mdl_hp_type_of(s->hp, name)) {
    case MDL_HP_INT:
        snprintf(out, MDL_SCALAR_BYTES, "%" PRId64, mdl_hp_int(s->hp, name));
        return T2_OK;
    case MDL_HP_FLOAT:
        if (mdl_hp_is_null(s->hp, name))
            break;
        put_number(mdl_hp_float(s->hp, name), out);
        return T2_OK;
    case MDL_HP_BOOL:
        snprintf(out, MDL_SCALAR_BYTES, "%s", mdl_hp_bool(s->hp, name) ? "true" : "false");
        return T2_OK;
    case MDL_HP_STRING:
        if (strlen(mdl_hp_string(s->hp, name)) >= MDL_SCALAR_BYTES)
            break;
        snprintf(out, MDL_SCALAR_BYTES, "%s", mdl_hp_string(s->hp, name));
        return T2_OK;
    case MDL_HP_INT_LIST:
    case MDL_HP_FLOAT_LIST:
        return t2_fail(err, T2_EFORMAT, "line %zu: hparam %s is a list: $%s[0] is its first entry",
                       node->line, name, name);
    case MDL_HP_NONE:
    case MDL_HP_MAP:
        break;
    }
    return t2_fail(err, T2_EFORMAT, "line %zu: hparam %s has no value that fits here", node->line,
                   name);
}

static enum t2_status name_text(const struct mdl_scope *s, const struct t2_yaml_node *node,
                                const char *name, char out[MDL_SCALAR_BYTES], struct t2_err *err)
{
    for (int i = s->n - 1; i >= 0; i--)
        if (strcmp(s->variables[i].name, name) == 0) {
            memcpy(out, s->variables[i].text, MDL_SCALAR_BYTES);
            return T2_OK;
        }
    if (strcmp(name, "classes") == 0 || strcmp(name, "inputs_vocab") == 0) {
        snprintf(out, MDL_SCALAR_BYTES, "%d",
                 name[0] == 'c' ? s->problem->targets_vocab : s->problem->inputs_vocab);
        return T2_OK;
    }
    return mdl_hp_has(s->hp, name) ? hparam_text(s, node, name, out, err)
                                   : unknown(node, name, err);
}

/* *at stands behind a '$'; ends behind the name and its index. */
static enum t2_status take_name(const struct mdl_scope *s, const struct t2_yaml_node *node,
                                const char **at, char out[MDL_SCALAR_BYTES], struct t2_err *err)
{
    size_t n = name_length(*at), inner;
    char name[NAME_BYTES], index[MDL_SCALAR_BYTES];

    if (n == 0 || n >= sizeof name)
        return t2_fail(err, T2_EFORMAT, "line %zu: '%.100s': a name stands behind $", node->line,
                       node->text);
    memcpy(name, *at, n);
    name[n] = '\0';
    *at += n;
    if (**at != '[')
        return name_text(s, node, name, out, err);
    ++*at;
    if (**at == '$')
        ++*at;
    inner = name_length(*at);
    if (inner == 0 || inner >= NAME_BYTES || (*at)[inner] != ']')
        return t2_fail(err, T2_EFORMAT, "line %zu: '%.100s': a number or $name stands in [ ]",
                       node->line, node->text);
    memcpy(index, *at, inner);
    index[inner] = '\0';
    if ((*at)[-1] == '$') {
        char variable[NAME_BYTES];

        memcpy(variable, index, inner + 1);
        T2_TRY(name_text(s, node, variable, index, err));
    }
    *at += inner + 1;
    return entry_text(s, node, name, index, out, err);
}

/* ---- expressions ---- */

static enum t2_status take_operand(const struct mdl_scope *s, const struct t2_yaml_node *node,
                                   const char **at, char out[MDL_SCALAR_BYTES], struct t2_err *err)
{
    size_t n;

    if (**at == '$') {
        ++*at;
        return take_name(s, node, at, out, err);
    }
    n = strcspn(*at, " ");
    if (n == 0 || n >= MDL_SCALAR_BYTES)
        return t2_fail(err, T2_EFORMAT, "line %zu: '%.100s' is no expression", node->line,
                       node->text);
    memcpy(out, *at, n);
    out[n] = '\0';
    *at += n;
    return T2_OK;
}

static enum t2_status as_number(const struct t2_yaml_node *node, const char *text, double *value,
                                struct t2_err *err)
{
    if (t2_parse_double(text, value))
        return T2_OK;
    return t2_fail(err, T2_EFORMAT, "line %zu: '%.100s': '%.100s' is no number", node->line,
                   node->text, text);
}

static enum t2_status combine(const struct t2_yaml_node *node, char op, double *sum, double value,
                              struct t2_err *err)
{
    if (op == '*')
        *sum *= value;
    else if (op == '+')
        *sum += value;
    else if (op == '-')
        *sum -= value;
    else if (value != 0.0)
        *sum /= value;
    else
        return t2_fail(err, T2_EFORMAT, "line %zu: '%.100s' divides by 0", node->line, node->text);
    if (isfinite(*sum))
        return T2_OK;
    return t2_fail(err, T2_EFORMAT, "line %zu: '%.100s' is too large", node->line, node->text);
}

static enum t2_status expression(const struct mdl_scope *s, const struct t2_yaml_node *node,
                                 char out[MDL_SCALAR_BYTES], struct t2_err *err)
{
    const char *at = node->text;
    double sum, value;

    T2_TRY(take_operand(s, node, &at, out, err));
    if (*at == '\0')
        return T2_OK;
    T2_TRY(as_number(node, out, &sum, err));
    for (int i = 0; *at != '\0'; i++) {
        char op;

        if (i == MOST_OPERANDS || at[0] != ' ' || !strchr("*/+-", at[1]) || at[1] == '\0' ||
            at[2] != ' ')
            return t2_fail(err, T2_EFORMAT,
                           "line %zu: '%.100s' is no expression: $name, and with blanks between "
                           "them * / + - and numbers",
                           node->line, node->text);
        op = at[1];
        at += 3;
        T2_TRY(take_operand(s, node, &at, out, err));
        T2_TRY(as_number(node, out, &value, err));
        T2_TRY(combine(node, op, &sum, value, err));
    }
    put_number(sum, out);
    return T2_OK;
}

/* ---- scalars ---- */

static enum t2_status check_scalar(const struct t2_yaml_node *node, struct t2_err *err)
{
    if (node->kind != T2_YAML_SCALAR || node->tag)
        return t2_fail(err, T2_EFORMAT, "line %zu: a single value is wanted here", node->line);
    if (strlen(node->text) >= MDL_SCALAR_BYTES)
        return t2_fail(err, T2_EFORMAT, "line %zu: a value of more than %d bytes", node->line,
                       MDL_SCALAR_BYTES - 1);
    return T2_OK;
}

enum t2_status mdl_scope_text(const struct mdl_scope *s, const struct t2_yaml_node *node,
                              char out[MDL_SCALAR_BYTES], struct t2_err *err)
{
    T2_TRY(check_scalar(node, err));
    if (strchr(node->text, '$'))
        return expression(s, node, out, err);
    snprintf(out, MDL_SCALAR_BYTES, "%s", node->text);
    return T2_OK;
}

enum t2_status mdl_scope_name(const struct mdl_scope *s, const struct t2_yaml_node *node,
                              char out[MDL_SCALAR_BYTES], struct t2_err *err)
{
    size_t n = 0;

    T2_TRY(check_scalar(node, err));
    for (const char *at = node->text; *at != '\0';) {
        char value[MDL_SCALAR_BYTES] = {*at, '\0'};

        if (*at++ == '{') {
            T2_TRY(take_name(s, node, &at, value, err));
            if (*at++ != '}')
                return t2_fail(err, T2_EFORMAT, "line %zu: '%.100s': a } is missing", node->line,
                               node->text);
        }
        if (n + strlen(value) >= MDL_SCALAR_BYTES)
            return t2_fail(err, T2_EFORMAT, "line %zu: '%.100s' is too long a name", node->line,
                           node->text);
        memcpy(out + n, value, strlen(value));
        n += strlen(value);
    }
    out[n] = '\0';
    return T2_OK;
}

enum t2_status mdl_scope_float(const struct mdl_scope *s, const struct t2_yaml_node *node,
                               const char *what, double least, double most, double *value,
                               struct t2_err *err)
{
    char text[MDL_SCALAR_BYTES];

    T2_TRY(mdl_scope_text(s, node, text, err));
    if (!t2_parse_double(text, value))
        return t2_fail(err, T2_EFORMAT, "line %zu: %s is a number, not '%.100s'", node->line, what,
                       text);
    if (!(*value >= least && *value <= most))
        return t2_fail(err, T2_EFORMAT, "line %zu: %s=%s is not between %g and %g", node->line,
                       what, text, least, most);
    return T2_OK;
}

enum t2_status mdl_scope_int(const struct mdl_scope *s, const struct t2_yaml_node *node,
                             const char *what, int64_t least, int64_t most, int64_t *value,
                             struct t2_err *err)
{
    char text[MDL_SCALAR_BYTES];

    T2_TRY(mdl_scope_text(s, node, text, err));
    if (!t2_parse_i64(text, value))
        return t2_fail(err, T2_EFORMAT, "line %zu: %s is a whole number, not '%.100s'", node->line,
                       what, text);
    if (*value < least || *value > most)
        return t2_fail(err, T2_EFORMAT,
                       "line %zu: %s=%" PRId64 " is not between %" PRId64 " and %" PRId64,
                       node->line, what, *value, least, most);
    return T2_OK;
}

enum t2_status mdl_scope_bool(const struct mdl_scope *s, const struct t2_yaml_node *node,
                              const char *what, bool *value, struct t2_err *err)
{
    char text[MDL_SCALAR_BYTES];

    T2_TRY(mdl_scope_text(s, node, text, err));
    *value = strcmp(text, "true") == 0 || strcmp(text, "True") == 0;
    if (*value || strcmp(text, "false") == 0 || strcmp(text, "False") == 0)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT, "line %zu: %s is true or false, not '%.100s'", node->line, what,
                   text);
}
