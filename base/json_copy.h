/*
 * base/json_copy.h - a value that was read, written again.
 */
#ifndef T2_BASE_JSON_COPY_H
#define T2_BASE_JSON_COPY_H

#include "base/json.h"
#include "base/json_writer.h"

/*
 * Writes v where j stands: after a key, in an array, or as the whole text.  The order of members
 * stays, integers are exact, reals are as short as reads back the same and stay reals ("1.0", not
 * "1").
 *
 * T2_EFORMAT when v is nested too deeply for the writer; nothing is written then, and a key that
 * was written before still lacks its value.
 */
T2_MUST_CHECK enum t2_status t2_json_copy(struct t2_json *j, const struct t2_json_value *v,
                                          struct t2_err *err);

#endif
