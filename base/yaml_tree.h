/*
 * base/yaml_tree.h - YAML as a tree that remembers where everything stood; by libyaml (only
 * yaml_tree.c includes it).
 *
 * The part of YAML that people write by hand: mappings, lists, scalars, comments.  Scalars are left
 * as text for the caller to interpret: yaml.h makes JSON of them, train/experiment/ the values of
 * an experiment.
 */
#ifndef T2_BASE_YAML_TREE_H
#define T2_BASE_YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum t2_yaml_kind { T2_YAML_SCALAR, T2_YAML_LIST, T2_YAML_MAPPING };

struct t2_yaml_node {
    enum t2_yaml_kind kind;
    char *text;  /* of a scalar; no NUL in it */
    bool plain;  /* a scalar without quotes */
    char *tag;   /* "tag:yaml.org,2002:str" for !!str; NULL without one */
    size_t line; /* where it begins, from 1 */
    size_t column;
    char *key; /* of a member of a mapping */
    size_t key_line, key_column;
    struct t2_yaml_node *items; /* of a list; members of a mapping, in the order of the file */
    size_t n;
};

/*
 * Reads the one document in text.  Errors name `origin`, line and column.  T2_EFORMAT: no YAML, a
 * key that is there twice, an alias, a NUL character, more than one document, nesting deeper
 * than 60.  *root is NULL for an empty text; owned by the caller (t2_yaml_free).
 */
T2_MUST_CHECK enum t2_status t2_yaml_tree(const char *text, size_t len_bytes, const char *origin,
                                          struct t2_yaml_node **root, struct t2_err *err);
void t2_yaml_free(struct t2_yaml_node *root);

#endif
