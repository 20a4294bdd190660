/*
 * tfrec/schema_json.h - a schema in our own JSON, written and read back (`verify --schema=FILE`).
 *
 *   {"format":"tfrec schema","version":1,"records":R,"features":[F,...]}
 *
 *   F = {"name","kind","records","required","length":{"min","max","fixed"},"values",
 *        for int64  "min","max","int32"
 *        for float  "min","max","not_finite"
 *        for bytes  "bytes","min_bytes","max_bytes","utf8","pictures"
 *        if any     "without_list", "other_kinds":[{"kind","records","file","record"}]}
 */
#ifndef REC_SCHEMA_JSON_H
#define REC_SCHEMA_JSON_H

#include "tfrec/schema.h"
#include "tfrecord/inputs.h"

/* Appends it, with a line feed.  in: for the names of files; may be NULL. */
void rec_schema_print_json(const struct rec_schema *s, const struct tfr_inputs *in,
                           struct t2_buf *out);
/* T2_EFORMAT names the key that is missing or wrong.  The result is sorted; places of records are
 * not kept (see rec_at: the usual kind came first). */
T2_MUST_CHECK enum t2_status rec_schema_parse(const char *text, size_t len_bytes,
                                              const char *origin, struct rec_schema **s,
                                              struct t2_err *err);
T2_MUST_CHECK enum t2_status rec_schema_load(const char *path, struct rec_schema **s,
                                             struct t2_err *err);

#endif
