/*
 * base/json_want.h - members that a document must have, with a message that says what is wrong.
 *
 * For readers of a whole format: ask for everything, look at `status` once at the end.
 */
#ifndef T2_BASE_JSON_WANT_H
#define T2_BASE_JSON_WANT_H

#include "base/hash.h"
#include "base/json.h"

/* Where we are, for messages; the first failure is kept in *err and in status. */
struct t2_json_want {
    const char *origin; /* a path */
    struct t2_err *err;
    enum t2_status status; /* T2_OK, else T2_EFORMAT */
};

/* Notes "'<origin>': "<key>" is not <wanted>", unless something was noted before. */
void t2_json_complain(struct t2_json_want *w, const char *key, const char *wanted);

/* Values of the member `key` of object, which may be NULL.  A member that is missing or of another
 * type is reported, and gives "", 0 or false. */
char *t2_json_want_string(struct t2_json_want *w, const struct t2_json_value *object,
                          const char *key); /* owned by the caller */
/* The name of a file in the folder of the document, never a way out of it.  Owned by the caller. */
char *t2_json_want_file(struct t2_json_want *w, const struct t2_json_value *object,
                        const char *key);
int64_t t2_json_want_i64(struct t2_json_want *w, const struct t2_json_value *object,
                         const char *key);
uint64_t t2_json_want_u64(struct t2_json_want *w, const struct t2_json_value *object,
                          const char *key);
bool t2_json_want_bool(struct t2_json_want *w, const struct t2_json_value *object, const char *key);
void t2_json_want_sha256(struct t2_json_want *w, const struct t2_json_value *object,
                         const char *key, char hex[T2_SHA256_HEX]);

#endif
