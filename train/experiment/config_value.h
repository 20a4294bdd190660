/*
 * train/experiment/config_value.h - one value of a configuration, typed and spelt as PyYAML does.
 *
 * Model Garden reads its configurations with PyYAML's safe loader and one rule more, and writes
 * them with yaml.dump; spec formats-and-experiments.md D2.
 */
#ifndef EXP_CONFIG_VALUE_H
#define EXP_CONFIG_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/yaml_tree.h"

enum exp_kind { EXP_NULL, EXP_BOOL, EXP_INT, EXP_FLOAT, EXP_STRING, EXP_LIST, EXP_MAP };

struct exp_value {
    enum exp_kind kind;
    bool is_tuple; /* of a list: Python's other kind, which yaml.dump writes with a tag */
    bool b;
    int64_t i;
    double f;
    char *s;
    char *key; /* of a member of a mapping */
    struct exp_value *items;
    size_t n;
};

/*
 * Scalars and lists of them.  Plain scalars: YAML 1.1 as PyYAML has it (012 and 12:30 are 10 and
 * 750), and 3e8, 1e-4 are numbers; 1.5e3 is text.  T2_EFORMAT naming origin, line and column: a
 * mapping, a date, a tag other than !!str and !!python/tuple.  Nothing to release on failure.
 */
T2_MUST_CHECK enum t2_status exp_value_read(const struct t2_yaml_node *node, const char *origin,
                                            struct exp_value *value, struct t2_err *err);
void exp_value_release(struct exp_value *v);
struct exp_value exp_value_copy(const struct exp_value *v);
bool exp_value_equal(const struct exp_value *a, const struct exp_value *b);

/* As Python's repr: 0.1, 1e-05, 1e+16, 100.0; inf, nan. */
void exp_put_float(struct t2_buf *out, double f);
/* For messages: null, true, 3, 'text', [1, 2]. */
void exp_value_put(struct t2_buf *out, const struct exp_value *v);

/* True if the plain text is a string to yaml.dump's reader, which lacks the rule for 1e-4. */
bool exp_text_is_string(const char *s);

#endif
