/*
 * base/json.h - reading JSON, by jansson (only json.c includes it).
 */
#ifndef T2_BASE_JSON_H
#define T2_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* A document owns its values; a value is borrowed from its document. */
struct t2_json_doc;
struct t2_json_value;

enum t2_json_type {
    T2_JSON_NULL,
    T2_JSON_BOOL,
    T2_JSON_INT,
    T2_JSON_REAL,
    T2_JSON_STRING,
    T2_JSON_ARRAY,
    T2_JSON_OBJECT
};

/* Errors name `origin` (a path), line and column. */
T2_MUST_CHECK enum t2_status t2_json_parse(const char *text, size_t len_bytes, const char *origin,
                                           struct t2_json_doc **doc, struct t2_err *err);
/* The same; an object that names a member twice is T2_EFORMAT, too. */
T2_MUST_CHECK enum t2_status t2_json_parse_unique(const char *text, size_t len_bytes,
                                                  const char *origin, struct t2_json_doc **doc,
                                                  struct t2_err *err);
T2_MUST_CHECK enum t2_status t2_json_load(const char *path, struct t2_json_doc **doc,
                                          struct t2_err *err);
void t2_json_free(struct t2_json_doc *doc);
const struct t2_json_value *t2_json_root(const struct t2_json_doc *doc);

/* All accept v == NULL (as JSON null), so that look-ups chain. */
enum t2_json_type t2_json_type(const struct t2_json_value *v);
const struct t2_json_value *t2_json_get(const struct t2_json_value *object, const char *key);
size_t t2_json_size(const struct t2_json_value *v); /* of an array or object, else 0 */
const struct t2_json_value *t2_json_item(const struct t2_json_value *array, size_t i);
/* Objects keep the order of the file. */
const char *t2_json_member(const struct t2_json_value *object, size_t i,
                           const struct t2_json_value **value);
const char *t2_json_as_string(const struct t2_json_value *v, const char *otherwise);
int64_t t2_json_as_i64(const struct t2_json_value *v, int64_t otherwise);  /* of an integer */
double t2_json_as_double(const struct t2_json_value *v, double otherwise); /* of any number */
bool t2_json_as_bool(const struct t2_json_value *v, bool otherwise);

#endif
