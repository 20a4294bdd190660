/*
 * train/experiment/config.h - the configuration of an experiment: a tree of typed fields.
 *
 * official/modeling/hyperparams (ParamsDict, Config, OneOfConfig); spec formats-and-experiments.md
 * D2. Which fields there are is said by tables (struct exp_field).  Unlike the original, a value of
 * the wrong type is an error here, and so are a scalar in place of a group of fields and a group
 * for a scalar.
 */
#ifndef EXP_CONFIG_H
#define EXP_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/yaml_tree.h"
#include "train/experiment/config_value.h"

enum exp_type {
    EXP_T_BOOL,
    EXP_T_INT,
    EXP_T_NUMBER,
    EXP_T_STRING,
    EXP_T_INTS, /* lists */
    EXP_T_NUMBERS,
    EXP_T_STRINGS,
    EXP_T_PATHS,       /* a string or a list of them */
    EXP_T_SCALE,       /* a number or a string */
    EXP_T_CHOICE,      /* `type` of a group that is one of several: a name of a group beside it, or
                          null */
    EXP_T_GROUP,       /* a group that is null until a field of it is given */
    EXP_T_NULL,        /* a group that nothing here reads: null only */
    EXP_T_ONE,         /* a list of one group of fields, which stand below it, or of none */
    EXP_T_MASK = 15,   /* of the above */
    EXP_T_OR_NULL = 16 /* besides */
};

/* The fate of a field. */
enum exp_use {
    EXP_HPARAM, /* `note` names the hparam that has its value */
    EXP_READ,   /* the program reads it; `note` says what for */
    EXP_PASSED, /* any value, as it changes no result here; `note` says why */
    EXP_FIXED   /* its default only, as nothing here can do otherwise; `note` says why */
};

struct exp_field {
    const char *path;  /* below the prefix of its table: "optimizer.sgd.momentum" */
    unsigned type;     /* of enum exp_type */
    const char *value; /* the default, as YAML on one line */
    enum exp_use use;
    const char *note;
};

/* Fields with the place where they hang: "trainer", "task.train_data". */
struct exp_table {
    const char *prefix;
    const struct exp_field *fields;
    size_t n;
};

struct exp_config;

/* A configuration with the tables' defaults.  The rows of the tables are borrowed for its life. */
struct exp_config *exp_config_new(const struct exp_table *tables, size_t n_tables);
void exp_config_free(struct exp_config *c);
/* The present values become those that EXP_FIXED fields must keep: an experiment's own defaults. */
void exp_config_settle(struct exp_config *c);

/*
 * Sets fields: those of a mapping (NULL: none), or the one that a dotted path names.  Groups merge,
 * scalars and lists replace, null clears.  `origin` is a file, for messages.  T2_EUSAGE naming
 * origin, line, column and path: a field that does not exist (with the nearest that does), a type
 * that is not the field's, an unknown alternative of a choice, a value for an EXP_FIXED field.
 * Fields before it have been set then.
 */
T2_MUST_CHECK enum t2_status exp_config_merge(struct exp_config *c,
                                              const struct t2_yaml_node *mapping,
                                              const char *origin, struct t2_err *err);
T2_MUST_CHECK enum t2_status exp_config_set(struct exp_config *c, const char *path,
                                            const struct t2_yaml_node *value, const char *origin,
                                            struct t2_err *err);

/* Reading; the path must be one of a table (assertion).  Borrowed until the field is set. */
const struct exp_value *exp_config_get(const struct exp_config *c, const char *path);
bool exp_config_bool(const struct exp_config *c, const char *path);
int64_t exp_config_int(const struct exp_config *c, const char *path);
double exp_config_number(const struct exp_config *c, const char *path);      /* NaN for null */
const char *exp_config_string(const struct exp_config *c, const char *path); /* NULL for null */
bool exp_config_is_null(const struct exp_config *c, const char *path);       /* also of a group */
/* Has one of the above been asked for it? */
bool exp_config_was_read(const struct exp_config *c, const char *path);

/*
 * Calls fn for every field that counts, sorted by path as yaml.dump sorts: alternatives that are
 * not chosen and groups that are null have none.  `depth` is the number of groups around it.  With
 * field == NULL it is the head of a group.
 */
typedef void (*exp_visit_fn)(void *context, int depth, const char *name, const char *path,
                             const struct exp_field *field, const struct exp_value *value,
                             bool changed);
void exp_config_visit(const struct exp_config *c, exp_visit_fn fn, void *context);

/* The content of params.yaml, byte for byte as yaml.dump writes the original's (config_dump.c). */
void exp_config_dump(const struct exp_config *c, struct t2_buf *out);
/* A line per field: path, value, what became of it; '*' where it is not the experiment's default
 * (config_dump.c). */
void exp_config_describe(const struct exp_config *c, struct t2_buf *out);

#endif
