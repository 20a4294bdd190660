/*
 * base/json_writer.h - streaming JSON writer (ours); reading is in json.h.
 */
#ifndef T2_BASE_JSON_WRITER_H
#define T2_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Appends to *out.  Commas, indentation and quoting are the writer's business; nesting is checked
 * by assertion.  Bytes that are not UTF-8 become U+FFFD. */
struct t2_json {
    struct t2_buf *out;
    int indent; /* 0 = one line */
    int depth;
    bool first[64];
    bool in_object[64];
    bool after_key;
};

void t2_json_init(struct t2_json *j, struct t2_buf *out, int indent);
void t2_json_object(struct t2_json *j);
void t2_json_end_object(struct t2_json *j);
void t2_json_array(struct t2_json *j);
void t2_json_end_array(struct t2_json *j);
void t2_json_key(struct t2_json *j, const char *key);
void t2_json_string(struct t2_json *j, const char *s);
void t2_json_bytes(struct t2_json *j, const void *s, size_t len_bytes);
void t2_json_i64(struct t2_json *j, int64_t v);
void t2_json_u64(struct t2_json *j, uint64_t v);
/* The shortest of %.15g, %.16g, %.17g that reads back the same; null for NaN, inf. */
void t2_json_double(struct t2_json *j, double v);
void t2_json_float9(struct t2_json *j, double v); /* %.9g; null for NaN, inf */
void t2_json_bool(struct t2_json *j, bool v);
void t2_json_null(struct t2_json *j);
/* key + value in one call */
void t2_json_kv_string(struct t2_json *j, const char *key, const char *s);
void t2_json_kv_i64(struct t2_json *j, const char *key, int64_t v);
void t2_json_kv_u64(struct t2_json *j, const char *key, uint64_t v);
void t2_json_kv_double(struct t2_json *j, const char *key, double v);
void t2_json_kv_bool(struct t2_json *j, const char *key, bool v);

#endif
