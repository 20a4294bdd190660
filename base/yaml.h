/*
 * base/yaml.h - YAML files, read into the values of json.h; by way of yaml_tree.h.
 *
 * The part of YAML that people write by hand: mappings, lists, scalars, comments.  Plain scalars
 * have the types that PyYAML's safe loader gives them (null, true/yes/on, 12, 0x1f, 1.5), but 1e-3
 * is a number too; text in quotes stays text.  Keys are scalars and stay as written.
 */
#ifndef T2_BASE_YAML_H
#define T2_BASE_YAML_H

#include "base/err.h"
#include "base/json.h"

/*
 * Errors name `origin`, line and column.  T2_EFORMAT: no YAML, a key that is there twice, an alias
 * or a tag, more than one document, nesting deeper than 60.  An empty text is null.  *doc is owned
 * by the caller (t2_json_free).
 */
T2_MUST_CHECK enum t2_status t2_yaml_parse(const char *text, size_t len_bytes, const char *origin,
                                           struct t2_json_doc **doc, struct t2_err *err);

#endif
